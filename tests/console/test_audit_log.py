"""The audit log: what is in it, who sees it, and what erasing leaves."""

import pytest

from audience.access import audit_log, keys, operators, sessions, site_keys, sites
from audience.access.audit_log import Actor, network_of, record
from audience.erasures import erasures
from audience.subscribers import subscribers
from storage import database
from tests.client import ApiClient
from tests.console.browser import signed_in
from tests.console.screens import fill

DAY = 86_400_000
ANN = Actor("ann@example.com", "192.0.2.0/24")


def acts(site):
    return [(entry.actor, entry.act, entry.subject) for entry in audit_log.page(site)]


def test_changes_by_operators_are_recorded_with_who_what_and_from_where(app, site, owner):
    operators.add("bob@example.com", False, {}, ANN)
    owner.post(f"/sites/{site.uuid}/operators", email="bob@example.com", role="support")
    entry = audit_log.page(site)[0]
    assert (entry.actor, entry.act, entry.subject, entry.subjects, entry.client_network) == (
        "owner@example.com", "role support given", "bob@example.com", 1, "127.0.0.0/24",
    )  # fmt: skip
    assert "role support given" in owner.get(f"/sites/{site.uuid}/audit-log").text


def test_acts_on_the_instance_belong_to_no_site_and_only_administrators_see_them(site, owner, administrator):
    page = administrator.get("/audit-log")
    assert "signed in" in page.text
    assert "operator added" in page.text
    assert owner.get("/audit-log").status_code == 404
    assert "signed in" not in owner.get(f"/sites/{site.uuid}/audit-log").text


def test_older_entries_are_offered_where_there_are_some(site, owner, monkeypatch):
    path = f"/sites/{site.uuid}/audit-log"
    for act in ("first", "second"):
        record(ANN, act, site)
    assert ">Older<" not in owner.get(path).text
    monkeypatch.setattr(audit_log, "PAGE_ROWS", 2)
    assert ">Older<" in owner.get(path).text


def test_the_name_stays_when_an_operator_is_removed(app, site, administrator):
    browser = signed_in(app, "bob@example.com", {site: "owner"})
    browser.post(f"/sites/{site.uuid}/operators", email="admin@example.com", role="owner")
    administrator.post("/operators/remove", email="bob@example.com")
    assert ("bob@example.com", "role owner given", "admin@example.com") in acts(site)


def test_a_link_made_in_the_console_is_shown_once(administrator):
    page = administrator.post("/operators", email="bob@example.com")
    assert page.text.count("/console/password#") == 1
    assert "/console/password#" not in administrator.get("/operators").text
    reset = administrator.post("/operators/reset", email="bob@example.com")
    assert reset.text.count("/console/password#") == 1
    refused = administrator.post("/operators", email="bob@example.com")
    assert (refused.status_code, operators.EXISTS in refused.text) == (422, True)


def test_older_entries_follow_page_by_page(site, owner):
    for number in range(audit_log.PAGE_ROWS + 5):
        record(ANN, f"act {number}.", site)
    first = owner.get(f"/sites/{site.uuid}/audit-log").text
    assert "act 104." in first
    assert "act 4." not in first
    last = audit_log.page(site)[-1]
    assert "act 4." in owner.get(f"/sites/{site.uuid}/audit-log?before={last.id}").text
    assert owner.get(f"/sites/{site.uuid}/audit-log?before=x").status_code == 200


@pytest.mark.of_sqlite
def test_erasing_leaves_the_keyed_hash_and_nothing_typed(app, settings, site, other_site):
    client = ApiClient(app.test_client(), site, keys.create([site]))
    uuid = client.create("eve@example.com")["attributes"]["uuid"]
    kept = client.create("bob@example.com")["attributes"]["uuid"]
    for where, subject in ((site, uuid), (site, kept), (other_site, uuid)):
        record(ANN, "tagged", where, subject, 1, {"text": "eve"})
    browser = signed_in(app, "bob@example.com", {site: "viewer"})
    session = sessions.find(browser.token)
    assert session is not None
    name = sessions.keep_search(session.id, site.id, "eve@example.com")
    assert sessions.search_text(session.id, site.id, name) == "eve@example.com"
    erasures.erase(site, settings.instance, email="eve@example.com")
    subjects = [entry.subject for entry in audit_log.page(site) if entry.act == "tagged"]
    assert subjects[0] == kept
    assert subjects[1] == site_keys.address_hash(site.id, "eve@example.com")
    assert {entry.typed for entry in audit_log.page(site)} == {"{}"}
    assert audit_log.page(other_site)[0].subject == uuid
    assert sessions.search_text(session.id, site.id, name) is None
    assert subscribers.find(site, email="eve@example.com") is None
    octets = (settings.instance / "audience.db").read_bytes()
    assert uuid.encode() in octets  # of the other site
    assert octets.count(uuid.encode()) <= 3


def test_entries_are_kept_as_long_as_the_setting_says(site, later):
    record(ANN, "first", site)
    later(300 * DAY)
    record(ANN, "second", site)
    later(99 * DAY)
    audit_log.sweep(400)
    assert [act for _, act, _ in acts(site)] == ["second", "first"]
    later(2 * DAY)
    audit_log.sweep(400)
    assert [act for _, act, _ in acts(site)] == ["second"]


def test_a_deleted_site_has_no_entries_left(app, settings, site, other_site):
    record(ANN, "tagged", site)
    record(ANN, "tagged", other_site)
    sites.delete(site, settings.instance, lambda *_: None)
    with database.session():
        assert database.rows("SELECT count(*) FROM audit_log WHERE site_id IS NOT NULL") == [(1,)]


def test_addresses_are_shortened():
    assert network_of("192.0.2.77") == "192.0.2.0/24"
    assert network_of("::ffff:192.0.2.77") == "192.0.2.0/24"
    assert network_of("2001:db8:1:2::3") == "2001:db8:1::/48"
    assert network_of("not an address") == ""


def test_no_name_that_was_typed_brings_an_address_into_the_log(site, owner):
    fill(site)
    root, person = f"/sites/{site.uuid}", subscribers.find(site, "p0@a.example")
    assert person is not None
    email, rules = "eve\uff20b.example", '{"tag": "vip"}'
    for path, fields in {
        f"subscribers/{person.uuid}": {"act": "tag", "tag": f"of  {email}"},
        f"subscribers/{person.uuid}?": {"act": "set field", "key": email, "type": "text", "value": "x"},
        f"subscribers/{person.uuid}??": {"act": "subscribe", "reason": f"{email} asked"},
        "segments/new": {"name": f"of {email}", "rules": rules},
        "reports/new": {"name": email, "report_type": "Reporting::Reports::NewVisitorsReport"},
        "keys": {"name": email, "scope": "read"},
        "settings": {"name": email, "time_zone": "UTC"},
    }.items():
        assert owner.post(f"{root}/{path}", **fields).status_code in (200, 303), path
    kept = [(each.act, each.subject, each.typed) for each in audit_log.page(site)][:7]
    assert not any("eve" in text or "b.example" in text for entry in kept for text in entry)
    assert [subject for _, subject, _ in kept[:4]] == ["(an address)"] * 3 + ["of (an address)"]
    acts = [act for act, _, _ in kept]
    assert acts[4:] == ["subscribed", "field set: (an address)", "tag added: of (an address)"]
    assert kept[4][2] == '{"reason":"(an address) asked"}'
