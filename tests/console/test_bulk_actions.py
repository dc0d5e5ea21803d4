"""Bulk actions subscribers: confirmed, and done by a worker."""

import re

import pytest

from audience.access import audit_log, sites
from audience.access.audit_log import head
from audience.bulk import actions as bulk_actions
from audience.bulk import chunks as bulk_chunks
from audience.changes.changes import change_from_item
from audience.clock import HOUR_MS
from audience.erasures import erasures
from audience.erasures import log as erasure_log
from audience.searches import searches
from audience.subscribers import commands, stats, subscribers, tags
from storage import database
from tests.console.browser import signed_in
from tests.jobs import run_bulk_actions


def add_people(site, count):
    items = [
        {"email": f"p{number}@a.example", "tags": ["vip"] if number < 7 else []} for number in range(count)
    ]
    with database.write():
        changes = [change_from_item(item) for item in items]
        subscribers.write(site.id, changes, subscribers.accept_now(site.id))


@pytest.fixture(autouse=True)
def people(site):
    add_people(site, 9)


@pytest.fixture
def root(site):
    return f"/sites/{site.uuid}"


@pytest.fixture
def work(tmp_path):
    """What a worker does with all its time."""
    instance = tmp_path / "instance"
    instance.mkdir(exist_ok=True)
    return lambda: run_bulk_actions(instance)


def everybody(site):
    return searches.search(site, searches.SearchRequest(after={}, before={}), 1)[0]


def tagged(site, name):
    [found] = [tag.id for tag in tags.list_all(site) if tag.name == name] or [0]
    return {each.email for each in everybody(site) if found in each.tag_ids}


def seen(page):
    return re.findall(r'name="seen" value="(\w+)"', page.text)[0]


def ticked(manager, site, *emails):
    """The fields of a form in which those people are ticked."""
    by_email = {each.email: each.uuid for each in everybody(site)}
    return {"uuid": [by_email[email] for email in emails]}


def act(manager, root, kind, query="", typed="", tag="", **fields):
    """Chooses, and confirms."""
    asked = manager.post(f"{root}/subscribers/chosen{query}", act=kind, **fields)
    assert asked.status_code == 200
    more = {"seen": seen(asked), "tag": tag, "typed": typed}
    return manager.post(f"{root}/acts{query}", act=kind, **fields, **more)


def followed(manager, sent):
    return manager.get(sent.headers["Location"].removeprefix("/console"))


def newest(site):
    entry = audit_log.page(site)[0]
    return entry.actor, head(entry), entry.subjects


def test_those_who_are_ticked_are_tagged(site, manager, root, work):
    sent = act(manager, root, "tag", tag="fair", **ticked(manager, site, "p1@a.example", "p8@a.example"))
    assert newest(site) == ("meg@example.com", "tag added to many subscribers, started", 2)
    waiting = followed(manager, sent).text
    assert "data-live" in waiting
    assert "This continues if you leave the page" in waiting
    work()
    assert tagged(site, "fair") == {"p1@a.example", "p8@a.example"}
    done = followed(manager, sent).text
    assert re.search(r"<b>2 subscribers tagged .*fair.*</b> by meg@example.com", done)
    assert "data-live" not in done
    assert newest(site) == ("meg@example.com", "tag added to many subscribers", 2)


def test_all_who_match_the_filters_are_untagged_and_who_had_no_tag_is_counted_apart(
    site, manager, root, work
):
    sent = act(manager, root, "untag", "?status=subscribed", all="1", tag="VIP")
    work()
    assert tagged(site, "vip") == set()
    done = followed(manager, sent).text
    assert "7 subscribers untagged" in done
    assert "2 did not have the tag" in done


def test_all_who_match_the_text_that_is_searched_for(site, manager, root, work):
    kept = manager.post(f"{root}/subscribers", text="p3@").location.partition("?")[2]
    act(manager, root, "unsubscribe", f"?{kept}", all="1")
    work()
    assert {each.email for each in everybody(site) if each.unsubscribed_at} == {"p3@a.example"}
    assert stats.for_site(site).unsubscribers == 1


def test_erasing_asks_for_the_number(site, manager, root, work, settings):
    fields = ticked(manager, site, "p1@a.example", "p2@a.example")
    for typed in ("", "3", "two"):
        refused = act(manager, root, "erase", typed=typed, **fields)
        assert refused.status_code == 422
        assert "Type the number" in alert_text(refused)
    assert bulk_actions.newest(site) == []
    act(manager, root, "erase", typed="2", **fields)
    work()
    assert len(everybody(site)) == 7
    assert newest(site) == ("meg@example.com", "many subscribers erased", 2)
    assert "@a.example" not in f"{audit_log.page(site)}"
    assert len(erasure_log.list_all(settings.instance)) == 2


def alert_text(response):
    return re.findall(r'role="alert".*?</p>', response.text, re.DOTALL)[0]


def test_an_import_does_not_bring_back_who_was_erased(site, manager, root, work):
    act(manager, root, "erase", typed="1", **ticked(manager, site, "p1@a.example"))
    work()
    add_people(site, 9)
    assert len(everybody(site)) == 8


def test_a_selection_that_has_changed_is_asked_for_again(site, manager, root, work):
    query = "?tag=vip"
    asked = manager.post(f"{root}/subscribers/chosen{query}", act="unsubscribe", all="1")
    assert "Unsubscribe 7 subscribers" in asked.text
    command = {"command": "remove_tag", "email": "p1@a.example", "query": "vip"}
    commands.run(site, [command])
    refused = manager.post(f"{root}/acts{query}", act="unsubscribe", all="1", seen=seen(asked))
    assert (refused.status_code, "Unsubscribe 6 subscribers" in refused.text) == (422, True)
    assert bulk_actions.CHANGED in alert_text(refused)
    sent = manager.post(f"{root}/acts{query}", act="unsubscribe", all="1", seen=seen(refused))
    assert sent.status_code == 303


def test_who_comes_to_match_later_is_left_out(site, manager, root, work):
    sent = act(manager, root, "unsubscribe", "?tag=vip", all="1")
    commands.run(site, [{"command": "add_tag", "email": "p8@a.example", "query": "vip"}])
    work()
    assert "7 subscribers unsubscribed" in followed(manager, sent).text


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"act": "tag", "all": "1"}, bulk_actions.NO_TAG),
        ({"act": "tag", "all": "1", "tag": "\u200b"}, bulk_actions.NO_TAG),
        ({"act": "unsubscribe"}, bulk_actions.NOBODY),
        ({"act": "unsubscribe", "all": "1", "seen": "0"}, "changed"),
        ({"act": "sell", "all": "1"}, bulk_actions.UNKNOWN),
        ({}, bulk_actions.UNKNOWN),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_done(site, manager, root, fields, message):
    refused = manager.post(f"{root}/acts", **fields)
    assert (refused.status_code, message in refused.text) == (422, True)
    assert bulk_actions.newest(site) == []


def test_an_export_is_kept_a_day_and_lists_people_as_they_are(site, manager, root, work, later, app):
    sent = act(manager, root, "export", "?tag=vip", all="1")
    path = sent.headers["Location"].removeprefix("/console")
    assert newest(site) == ("meg@example.com", "many subscribers exported, started", 7)
    erasures.erase(site, app.extensions["audience"].settings.instance, email="p1@a.example")
    shown = manager.get(f"{path}/export.csv")
    assert "attachment" in shown.headers["Content-Disposition"]
    assert len(re.findall(r"p\d@a\.example", shown.text)) == 6
    later(25 * HOUR_MS)
    again = signed_in(app, "max@example.com", {site: "manager"})
    assert again.get(f"{path}/export.csv").status_code == 404
    bulk_chunks.sweep()
    assert list(bulk_actions._chunks(site.id, bulk_actions.newest(site)[0].id)) == []


def test_two_operators_on_one_selection_each_get_their_own_count(app, site, manager, root, work):
    other = signed_in(app, "max@example.com", {site: "manager"})
    first = act(manager, root, "tag", all="1", tag="fair")
    second = act(other, root, "tag", all="1", tag="fair")
    work()
    assert "9 subscribers tagged" in followed(manager, first).text
    assert "0 subscribers tagged" in followed(manager, second).text
    assert "9 had the tag already" in followed(manager, second).text


def test_whoever_may_not_act_on_many_sees_no_boxes(app, site, other_site, manager, root, work):
    sent = act(manager, root, "tag", all="1", tag="fair")
    path = sent.headers["Location"].removeprefix("/console")
    support = signed_in(app, "sue@example.com", {site: "support"})
    assert 'name="uuid"' not in support.get(f"{root}/subscribers").text
    assert support.get(path).status_code == 200
    for refused in (f"{root}/acts", f"{root}/subscribers/chosen", f"{path}/cancel"):
        assert support.post(refused, act="tag", all="1", tag="x").status_code == 404
    stranger = signed_in(app, "eve@example.com", {other_site: "owner"})
    moved = path.replace(site.uuid, other_site.uuid)
    assert stranger.get(moved).status_code == 404
    uuid = everybody(site)[0].uuid
    chosen = stranger.post(f"/sites/{other_site.uuid}/subscribers/chosen", act="erase", uuid=uuid)
    assert "Nobody is selected" in chosen.text


def test_an_act_ends_with_its_site(site, other_site, manager, root, work, tmp_path):
    act(manager, root, "tag", all="1", tag="fair")
    sites.delete(site, tmp_path, lambda *_: None)
    work()
    assert bulk_actions.newest(site) == []
