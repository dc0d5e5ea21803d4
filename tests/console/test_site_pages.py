"""The look of the pages for people, set in the console."""

import io

import pytest

from audience.access.audit_log import page
from audience.looks import looks
from audience.looks.looks import Logo
from tests.audience.looks.test_looks import PNG, SVG, sent
from tests.console.browser import alert, signed_in


@pytest.fixture
def path(site):
    return f"/sites/{site.uuid}/pages"


def test_a_manager_sets_the_look_and_sees_it(site, manager, path):
    saved = manager.post(path, **sent(accent=" #1D4F80 "), logo=(io.BytesIO(PNG), "logo.png"))
    assert saved.status_code == 303
    look = looks.get(site)
    assert (look.name, look.accent) == ("Harbour & Letters", "#1d4f80")
    shown = manager.get(path).text
    for part in ("White text on it: 8.5 to 1", "In the dark: #a5b9cc", f"/pages/{site.uuid}/logo?v="):
        assert part in shown
    [entry] = [entry for entry in page(site) if entry.act == "look of the pages changed"]
    assert entry.actor == "meg@example.com"
    assert "#1d4f80" in entry.typed
    manager.post(path, **sent(), remove_logo="1")
    assert looks.logo(site) is None


def test_the_name_of_the_site_is_proposed_as_its_public_name(site, manager, path):
    assert f'name="name" value="{site.name}"' in manager.get(path).text
    assert looks.get(site).name == ""


def test_saving_without_a_file_keeps_the_logo(site, manager, path):
    manager.post(path, **sent(), logo=(io.BytesIO(PNG), "logo.png"))
    manager.post(path, **sent(name="Other"), logo=(io.BytesIO(b""), ""))
    assert (looks.get(site).name, looks.logo(site)) == ("Other", Logo(PNG, "image/png"))


def test_what_is_refused_is_shown_again_and_nothing_is_kept(site, manager, path):
    refused = manager.post(path, **sent(name="Win at evil.example", home="javascript:x"))
    assert (refused.status_code, "at most 60 characters" in alert(refused)) == (422, True)
    assert 'value="Win at evil.example"' in refused.text
    assert refused.text.count('aria-invalid="true"') == 2
    refused = manager.post(path, **sent(), logo=(io.BytesIO(SVG), "logo.svg"))
    assert (refused.status_code, "PNG, JPEG or WebP" in alert(refused)) == (422, True)
    assert looks.get(site) == looks.Look()


def test_who_may_not_manage_neither_sees_nor_sets_it(app, site, path):
    viewer = signed_in(app, "vic@example.com", {site: "support"})
    assert viewer.get(path).status_code == 404
    assert viewer.post(path, **sent()).status_code == 404
    assert looks.get(site) == looks.Look()
