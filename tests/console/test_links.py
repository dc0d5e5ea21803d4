"""Links in the console: in exports, rotated and ended, sent by webhooks; and the preview of the pages."""

import csv
import io

import pytest

from audience.access import audit_log
from audience.bulk import actions as bulk_actions
from audience.links import links
from audience.links.links import Links, Standing
from audience.segments import segments
from audience.subscribers import subscribers
from audience.webhooks import webhooks
from tests.console.browser import signed_in
from tests.jobs import run_bulk_actions
from tests.pages.visitor import text

ANN = "ann@a.example"
HOOK = "https://hooks.example/changes"


@pytest.fixture
def ann(site):
    return subscribers.create(site, {"email": ANN})


def urls(answer):
    [row] = csv.DictReader(io.StringIO(answer.text))
    return {name: row.get(name) for name in ("unsubscribe_url", "preferences_url")}


def token_of(site, person):
    made = Links(site, "http://localhost").urls(person.uuid, person.email_key)
    return made["unsubscribe"].rpartition("/")[2]


def read(token):
    link = links.read(links.UNSUBSCRIBE, token)
    assert link is not None
    return link


@pytest.mark.parametrize("wanted", [True, False])
def test_a_segments_export_has_links_if_asked_and_the_audit_log_says_so(site, manager, ann, wanted):
    segment = segments.create(site, {"name": "All", "rules": {"status": "subscribed"}})
    path = f"/sites/{site.uuid}/segments/{segment.id}/export"
    found = urls(manager.post(path, **({"links": "1"} if wanted else {})))
    assert all(bool(url) == wanted for url in found.values())
    if wanted:
        token = found["unsubscribe_url"].rpartition("/")[2]
        assert read(token).uuid == ann.uuid
    assert audit_log.page(site)[0].act == f"segment exported{' with links' if wanted else ''}"


@pytest.mark.parametrize("wanted", [True, False])
def test_an_export_of_chosen_ones_has_links_if_asked(app, site, manager, ann, wanted, tmp_path):
    new = bulk_actions.NewAction(kind="export", ids=[ann.id], seen=bulk_actions.fingerprint([ann.id]))
    act = bulk_actions.begin(site, new, audit_log.COMMAND_LINE)
    run_bulk_actions(tmp_path)
    path = f"/sites/{site.uuid}/acts/{act.id}"
    assert f'href="/console{path}/export.csv?links=1"' in manager.get(path).text
    found = urls(manager.get(f"{path}/export.csv{'?links=1' if wanted else ''}"))
    assert all(bool(url) == wanted for url in found.values())
    assert audit_log.page(site)[0].act == f"many subscribers exported{' with links' if wanted else ''}"
    support = signed_in(app, "sue@example.com", {site: "support"})
    assert support.get(f"{path}/export.csv?links=1").status_code == 404


def test_an_owner_makes_new_links_and_ends_all(site, owner, manager, ann):
    path, first = f"/sites/{site.uuid}/pages/links", token_of(site, ann)
    assert manager.post(path).status_code == 404
    assert "Make new links" not in manager.get(f"/sites/{site.uuid}/pages").text
    done = owner.post(path)
    assert "Old links still unsubscribe" in owner.get(done.headers["Location"].removeprefix("/console")).text
    assert read(first).standing is Standing.OLD
    assert owner.post(path, act="revoke").status_code == 422
    assert read(first).standing is Standing.OLD
    assert owner.post(path, act="revoke", confirmed="on").status_code == 303
    assert read(first).standing is Standing.REVOKED
    assert [entry.act for entry in audit_log.page(site)[:2]] == ["all links ended", "new links made"]


def test_a_webhook_is_given_links_and_loses_them(site, owner):
    path = f"/sites/{site.uuid}/webhooks"
    owner.post(path, url=HOOK, links="1", key="1")
    [webhook] = webhooks.list_all(site)
    assert webhook.links
    assert 'name="links" value="1" checked' in owner.get(f"{path}/{webhook.id}").text
    assert owner.post(f"{path}/{webhook.id}", url=HOOK).status_code == 303
    assert not webhooks.get(site, webhook.id).links


def test_links_are_not_sent_in_plain_text(site, owner):
    refused = owner.post(f"/sites/{site.uuid}/webhooks", url="http://hooks.example/x", links="1", key="1")
    assert refused.status_code == 422
    assert webhooks.list_all(site) == []


@pytest.mark.parametrize(("name", "heading"), [
    ("ask", "Unsubscribe"), ("left", "You’re unsubscribed"), ("choose", "What you get"),
    ("come_back", "You’re unsubscribed"),
])  # fmt: skip
def test_the_pages_are_previewed_in_a_frame_of_the_console_alone(site, manager, name, heading):
    shown = manager.get(f"/sites/{site.uuid}/pages/preview/{name}")
    assert (shown.status_code, heading in text(shown)) == (200, True)
    assert "frame-ancestors 'self'" in shown.headers["Content-Security-Policy"]
    assert (
        f'src="/console/sites/{site.uuid}/pages/preview/ask"' in manager.get(f"/sites/{site.uuid}/pages").text
    )
    german = manager.get(f"/sites/{site.uuid}/pages/preview/{name}?lang=de")
    assert '<html lang="de"' in german.text


def test_there_is_no_other_preview(site, manager):
    assert manager.get(f"/sites/{site.uuid}/pages/preview/error").status_code == 404
