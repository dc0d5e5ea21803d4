"""Every page that reads: empty, with people, with hostile names, from another site."""

import re

import pytest

from audience.config import Settings
from audience.imports import imports
from audience.reports import reports
from audience.searches import searches
from audience.segments import segments
from tests.console.browser import signed_in
from tests.console.screens import HOSTILE, INSTANCE_PATHS, fill, site_paths

HTML_TO_COPY = re.compile(r'<pre class="copy".*?</pre>', re.DOTALL)
MARKUP = ("<script>alert", "<img src=x", "onerror=alert(1)>")


@pytest.mark.parametrize("names", [(), ("Ann", "Zoë"), HOSTILE], ids=["empty", "people", "hostile"])
def test_every_page_is_drawn_and_escapes_what_it_shows(owner, site, names):
    if names:
        fill(site, names)
    for path in site_paths(site):
        response = owner.get(path)
        assert response.status_code == 200, path
        assert not any(each in response.text for each in MARKUP), path
        text = HTML_TO_COPY.sub("", response.text)
        assert "&amp;lt;" not in text, path
        assert "=&#34;" not in text, path


def test_the_ways_to_begin_stay_reachable_once_somebody_is_on_the_list(app, site):
    shown = {}
    for role in ("viewer", "manager", "owner"):
        browser = signed_in(app, f"{role}@example.com", {site: role})
        assert ("Get a key" in browser.get(f"/sites/{site.uuid}").text) == (role == "owner")
        shown[role] = browser
    fill(site, ("Ann",))
    for role, browser in shown.items():
        overview = browser.get(f"/sites/{site.uuid}").text
        begins = browser.get(f"/sites/{site.uuid}?add=1").text
        ways = [
            name for name in ("Import a file", "Add a person", "Get a key") if f"<h2>{name}</h2>" in begins
        ]
        assert (
            ways == ["Import a file", "Add a person", "Get a key"][: {"viewer": 0, "manager": 2}.get(role, 3)]
        )
        assert ('href="?add=1"' in overview) == (role != "viewer")
        assert "Nobody is on this list yet" not in begins


def test_pages_of_the_instance_are_for_administrators(administrator, owner):
    for path in INSTANCE_PATHS:
        assert administrator.get(path).status_code == 200, path
    for path in ("/configured", "/doctor", "/operators", "/audit-log"):
        assert owner.get(path).status_code == 404, path


def test_no_page_of_another_site_is_shown(app, site, other_site):
    fill(other_site)
    browser = signed_in(app, "owner@example.com", {site: "owner"})
    for path in site_paths(other_site):
        assert browser.get(path).status_code == 404, path
        assert browser.get(path.replace(other_site.uuid, site.uuid)).status_code in (200, 404)


def test_records_of_another_site_are_not_found_under_ones_own(owner, site, other_site):
    fill(site)
    fill(other_site, ("Eve",))
    eve = searches.search(other_site, searches.SearchRequest(after={}, before={}), 1)[0][0]
    for path in (
        f"/subscribers/{eve.uuid}",
        f"/imports/{imports.newest(other_site)[0].id}",
        f"/segments/{segments.list_all(other_site)[0].id}",
        f"/reports/{reports.list_all(other_site)[0].id}",
    ):
        assert owner.get(f"/sites/{site.uuid}{path}").status_code == 404, path


def test_a_viewer_sees_all_but_keys_and_forms(app, site):
    fill(site)
    viewer = signed_in(app, "viewer@example.com", {site: "viewer"})
    for path in site_paths(site):
        is_form = (
            path.endswith(("/keys", "/pages", "/edit", "/new", "/delete"))
            or "/new?" in path
            or "/webhooks" in path
        )
        assert viewer.get(path).status_code == (404 if is_form else 200), path
    assert "/keys" not in viewer.get(f"/sites/{site.uuid}/settings").text


def test_what_is_not_there_is_said_without_words_of_the_api(owner, site):
    nowhere = owner.get("/nowhere").data
    root = f"/sites/{site.uuid}"
    for path in ("/imports/99", "/segments/99", "/segments/99/edit", "/reports/99"):
        response = owner.get(f"{root}{path}")
        assert (response.status_code, response.data) == (404, nowhere), path
    fill(site)
    listed = owner.get(f"{root}/subscribers?segment=99").text
    assert "Segment not found." in listed
    assert "GET /" not in listed


def test_an_operator_of_several_sites_can_switch(app, site, other_site):
    browser = signed_in(app, "two@example.com", {site: "viewer", other_site: "owner"})
    page = browser.get(f"/sites/{site.uuid}").text
    assert f'href="/console/sites/{other_site.uuid}"' in page


class TestConfigured:
    @pytest.fixture
    def settings(self, tmp_path):
        return Settings(instance=tmp_path, spamhaus_dqs_key="abcdefgh12345678", metrics_token="t" * 32)

    def test_secrets_of_the_settings_are_not_shown(self, administrator, settings):
        object.__setattr__(settings, "database_read_url", "postgresql://ann:hidden-word@replica/people")
        shown = administrator.get("/configured").text
        assert "hidden-word" not in shown
        assert "set, not shown" in shown
        assert "abcdefgh12345678" not in shown
        assert "t" * 32 not in shown
