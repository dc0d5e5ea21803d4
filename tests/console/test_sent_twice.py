"""A form that is sent twice makes one: by a double click, or by going back and sending it again."""

import re
import threading
from string import Template

import pytest

from audience.access import sessions
from audience.bulk import actions as bulk_actions
from audience.console.confirmations import SENTENCES
from audience.errors import Refused
from audience.segments import segments
from storage import database
from tests.console.browser import open_browser, signed_in
from tests.console.forms import WRITES, World

SITE = "/sites/<site_uuid>"
HOUR = 3_600_000
CLIENTS = 4
GONE = "This form was sent before, and the record that it created no longer exists. Open a new form."
# By the rule of its path: the table that the form adds a row to, and the page that has the form.
MAKERS = {
    f"{SITE}/segments/new": ("segments", "$root/segments/new"),
    f"{SITE}/reports/new": ("reports", "$root/reports/new?kind=NewVisitors"),
    f"{SITE}/forms/new": ("forms", "$root/forms/new"),
    f"{SITE}/subscribers/new": ("subscribers", "$root/subscribers/new"),
    f"{SITE}/webhooks": ("webhooks", "$root/webhooks"),
    f"{SITE}/webhooks/<number:webhook_id>/rotate": ("audit_log", "$root/webhooks/1"),
    f"{SITE}/keys": ("keys", "$root/keys"),
    f"{SITE}/keys/rotate": ("keys", "$root/keys"),
    f"{SITE}/acts": ("bulk_acts", ""),
    "/sites": ("sites", "/sites"),
    "/sites/demo": ("sites", "$empty_site"),
    "/operators": ("operators", "/operators"),
}
SHOWN_ONCE = ("/keys", "/rotate", "/webhooks", "/operators")


@pytest.fixture
def world(app, ann, site, settings):
    return World(app, site, settings)


def rows(table):
    with database.session():
        return database.row(f"SELECT count(*) FROM {table}")[0]  # noqa: S608 - of the table above


@pytest.mark.parametrize("rule", MAKERS)
def test_the_second_leads_to_what_the_first_made(world, rule):
    table, _ = MAKERS[rule]
    path, fields = world.form(rule)
    before = rows(table)
    first = world.browser.post(path, form="a page's own", **fields)
    assert first.status_code == (200 if rule.endswith(SHOWN_ONCE) else 303)
    second = world.browser.post(path, form="a page's own", **fields)
    assert rows(table) == before + 1
    assert second.status_code == 303
    page = world.browser.get(second.headers["Location"].removeprefix("/console"))
    assert page.status_code == 200
    said = "again-secret" if rule.endswith(SHOWN_ONCE) else "again"
    assert SENTENCES[said] in page.text
    if first.status_code == 303:
        path = first.headers["Location"].partition("?")[0]
        assert second.headers["Location"] == f"{path}?done=again"
    again, fields = world.form(rule)
    more = {"email": "second@example.com"} if "email" in fields else {}
    world.browser.post(again, form="another page's", **(fields | more))
    assert rows(table) > before + 1


@pytest.mark.parametrize("rule", MAKERS)
def test_its_page_has_a_token_of_its_own(world, rule):
    _, page = MAKERS[rule]
    if page == "":
        asked = [world.browser.post(f"{world.root}/subscribers/chosen", act="tag", all="1") for _ in range(2)]
    else:
        asked = [world.browser.get(Template(page).substitute(world)) for _ in range(2)]
    tokens = [re.findall(r'name="form" value="([\w.-]{16,})"', each.text) for each in asked]
    assert all(tokens)
    assert not set(tokens[0]) & set(tokens[1])


def test_the_one_that_was_refused_says_nothing(manager, site):
    path = f"/sites/{site.uuid}/segments/new"
    refused = manager.post(path, form="token", name="", rules='{"tag": "vip"}')
    assert refused.status_code == 422
    assert 'name="form" value="token"' in refused.text
    assert manager.post(path, form="token", name="VIP", rules='{"tag": "vip"}').status_code == 303
    assert [each.name for each in segments.list_all(site)] == ["VIP"]


def test_one_that_fails_half_way_leaves_nothing(manager, site, monkeypatch):
    path, fields = f"/sites/{site.uuid}/segments/new", {"name": "VIP", "rules": '{"tag": "vip"}'}
    real = segments._record

    def refuse(*_):
        raise Refused("no")

    monkeypatch.setattr(segments, "_record", refuse)
    assert manager.post(path, form="token", **fields).status_code == 422
    monkeypatch.setattr(segments, "_record", real)
    sent = manager.post(path, form="token", **fields)
    assert "done=" not in sent.headers["Location"]
    assert len(segments.list_all(site)) == 1


def test_it_is_kept_for_a_day_and_for_one_session(app, site, later):
    path, fields = f"/sites/{site.uuid}/segments/new", {"name": "VIP", "rules": '{"tag": "vip"}'}
    for email in ("meg@example.com", "max@example.com"):
        browser = signed_in(app, email, {site: "manager"})
        browser.post(path, form="token", **fields)
    assert len(segments.list_all(site)) == 2
    session = sessions.find(browser.token)
    assert session is not None
    late = sessions.SentForm(session.id, "late")
    assert sessions.make_once(late, site.id, lambda: 7, str) == (7, "7")
    later(24 * HOUR - 1_000)
    assert sessions.make_once(late, site.id, lambda: 8, str) == (None, "7")
    later(2_000)
    assert sessions.make_once(late, site.id, lambda: 9, str) == (9, "9")


@pytest.mark.parametrize("kind", ["segment", "act"])
def test_of_many_at_once_one_is_made(app, site, world, kind):
    rule = f"{SITE}/segments/new" if kind == "segment" else f"{SITE}/acts"
    path, fields = world.form(rule)
    before, table = rows(MAKERS[rule][0]), MAKERS[rule][0]
    ready, sent = threading.Barrier(CLIENTS), []

    def send():
        browser = open_browser(app)
        browser.http.set_cookie(browser.cookie, world.browser.token, domain="localhost", path="/console")
        ready.wait(30)
        sent.append(browser.post(path, form="token", **fields))

    threads = [threading.Thread(target=send) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [each.status_code for each in sent] == [303] * CLIENTS
    assert len({each.headers["Location"].partition("?")[0] for each in sent}) == 1
    assert rows(table) == before + 1
    if kind == "act":
        assert [each.status for each in bulk_actions.newest(site)][:1] == ["queued"]


def test_an_act_that_is_chosen_again_is_another_unless_it_is_the_same(manager, site, world):
    """Who goes back to the page that asks is asked by the browser to send the choice once more."""
    root, token = f"/sites/{site.uuid}", {"form": "of the list"}

    def begun(kind, query, tag="fair"):
        asked = manager.post(f"{root}/subscribers/chosen{query}", act=kind, all="1", **token)
        fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', asked.text))
        return manager.post(f"{root}/acts{query}", **fields, tag=tag).headers["Location"].partition("?")

    first = begun("tag", "?tag=vip")
    assert begun("tag", "?tag=vip") == (first[0], "?", "done=again")
    others = {begun("untag", "?tag=vip"), begun("tag", "?status=subscribed"), begun("tag", "?tag=vip", "new")}
    assert {query for _, query, _ in others} == {""}
    assert len({path for path, *_ in others} | {first[0]}) == 4
    listed = [manager.get(f"{root}/subscribers").text for _ in range(2)]
    tokens = {re.findall(r'name="form" value="([\w-]{16,})"', each)[0] for each in listed}
    assert len(tokens) == 2


@pytest.mark.parametrize("kind", ["segments", "reports"])
def test_what_was_made_and_deleted_since_is_said(world, kind):
    path, fields = world.form(f"{SITE}/{kind}/new")
    made = world.browser.post(path, form="token", **fields).headers["Location"].removeprefix("/console")
    assert world.browser.post(f"{made}/delete").status_code == 303
    page = world.browser.get(
        world.browser.post(path, form="token", **fields).headers["Location"].removeprefix("/console")
    )
    assert (page.status_code, GONE in page.text) == (404, True)
    assert GONE not in world.browser.get(made).text


def test_every_form_that_makes_something_is_here():
    ends = ("/new", "/keys", "/webhooks", "/sites", "/demo", "/acts", "/rotate")
    assert {rule for rule in WRITES if rule.endswith(ends)} | {"/operators"} == set(MAKERS)
