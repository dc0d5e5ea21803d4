"""Taking imports and acts back in the console: counted first, then confirmed."""

import pytest

from audience import clock
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.bulk.actions import TAG, UNSUBSCRIBE, UNTAG, NewAction
from audience.clock import DAY_MS
from audience.errors import NotFound
from audience.imports import imports
from audience.operations import site_lane
from audience.searches import searches
from audience.subscribers import commands, subscribers
from audience.undo import undos
from storage.bulk import actions as stored_actions
from tests.client import FakeQueue
from tests.console.browser import signed_in
from tests.jobs import run_bulk_actions
from tests.stored_people import found

ACTOR = Actor("meg@example.com")


@pytest.fixture
def manager(app, site):
    return signed_in(app, "meg@example.com", {site: "manager"})


@pytest.fixture
def act(site, settings):
    """An act on everybody, done; its path."""

    def begin(kind, tag=""):
        found = searches.search(site, searches.SearchRequest(after={}, before={}), 1)[0]
        ids = [each.id for each in found]
        new = NewAction(kind=kind, ids=ids, seen=bulk_actions.fingerprint(ids), tag=tag)
        done = bulk_actions.begin(site, new, ACTOR)
        run_bulk_actions(settings.instance)
        return f"/sites/{site.uuid}/acts/{done.id}"

    return begin


@pytest.fixture
def path(site):
    """That of an import of three people."""
    items = [(number, {"email": f"p{number}@a.example"}) for number in range(3)]
    accepted = imports.accept(site, items, [], FakeQueue(), 0)
    site_lane.drain(site.id, 30)
    return f"/sites/{site.uuid}/imports/{accepted.id}"


def test_an_import_is_taken_back_after_its_counts_are_seen(site, manager, path):
    subscribers.create(site, {"email": "p1@a.example", "first_name": "Ann"})
    assert f'href="/console{path}/undo"' in manager.get(path).text
    asked = manager.get(f"{path}/undo")
    assert "Undo import 1?" in asked.text
    assert "<dd>2</dd>" in asked.text
    assert subscribers.find(site, "p0@a.example")
    listed = path.rpartition("/")[0]
    assert "undone" not in manager.get(listed).text
    assert (
        "waiting"
        in manager.get(manager.post(f"{path}/undo").headers["Location"].removeprefix("/console")).text
    )
    assert "being undone" in manager.get(listed).text
    site_lane.drain(site.id, 30)
    after = manager.get(listed).text
    assert "undone" in after
    assert "being undone" not in after
    shown = manager.get(path).text
    assert "<b>2</b> deleted, <b>0</b> restored, <b>1</b> kept in part" in shown
    assert "1 subscriber: mentioned since by an operator" in shown
    kept = manager.get(f"{path}/undo/kept.csv").text.splitlines()
    uuid = found(site, "p1@a.example").uuid
    assert kept == ["email,uuid,reason", f"p1@a.example,{uuid},mentioned since by an operator"]
    sent = audit_log.page(site)[0]
    assert (sent.act, sent.subject, sent.subjects) == ("kept subscribers downloaded", "import 1", 1)
    assert f'{path}/undo"' not in shown
    assert audit_log.page(site)[1].act == "import, undone"
    assert manager.get(f"/sites/{site.uuid}/subscribers/{uuid}").status_code == 200


def test_whoever_is_no_manager_takes_nothing_back(app, site, path, act):
    act_path = act(TAG, "x")
    support = signed_in(app, "sue@example.com", {site: "support"})
    for each in (path, act_path):
        assert "undo" not in support.get(each).text
        assert support.get(f"{each}/undo").status_code == 404
        assert support.get(f"{each}/undo/kept.csv").status_code == 404
        assert support.post(f"{each}/undo").status_code == 404


def test_an_act_of_a_tag_is_taken_back_from_whom_it_changed(site, manager, path, act):
    for kind, changed in ((TAG, 2), (UNTAG, 3)):
        if kind == TAG:
            commands.run(site, [{"command": "add_tag", "email": "p0@a.example", "query": "x"}])
        act_path = act(kind, "x")
        assert f"<dd>{changed}</dd>" in manager.get(f"{act_path}/undo").text
        manager.post(f"{act_path}/undo")
        site_lane.drain(site.id, 30)
        assert f"<b>{changed}</b> restored" in manager.get(act_path).text
        tagged = [bool(found(site, f"p{number}@a.example").tag_ids) for number in range(3)]
        assert tagged == [True, kind == UNTAG, kind == UNTAG]
        for number in (1, 2) if kind == TAG else ():
            commands.run(site, [{"command": "add_tag", "email": f"p{number}@a.example", "query": "x"}])


def test_only_those_whose_last_word_is_the_act_are_subscribed_again(site, manager, path, act):
    commands.run(site, [{"command": "unsubscribe", "email": "p0@a.example"}])
    act_path = act(UNSUBSCRIBE)
    commands.run(site, [{"command": "unsubscribe", "email": "p1@a.example"}])
    subscribers.create(site, {"email": "p2@a.example"})
    manager.post(f"{act_path}/undo")
    site_lane.drain(site.id, 30)
    left = [found(site, f"p{number}@a.example").unsubscribed_at is not None for number in range(3)]
    assert left == [True, True, False]
    kept = manager.get(f"{act_path}/undo/kept.csv").text
    assert kept.count("stays unsubscribed") == kept.count("p1@a.example") == 1
    uuid = found(site, "p2@a.example").uuid
    assert "by the undo of bulk action 1" in manager.get(f"/sites/{site.uuid}/subscribers/{uuid}").text


def test_what_cannot_be_taken_back(app, site, manager, path, act, monkeypatch):
    act_path, erasing = act(TAG, "x"), act("erase")
    assert manager.post(f"{erasing}/undo").status_code == 422
    assert "/undo" not in manager.get(erasing).text
    now = clock.now_ms() + 31 * DAY_MS
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    again = signed_in(app, "max@example.com", {site: "manager"})
    for each in (path, act_path):
        assert "/undo" not in again.get(each).text
        assert again.post(f"{each}/undo").status_code == 422
    with pytest.raises(NotFound):
        undos.get(site, undos.import_source(1))


@pytest.fixture
def broken(act, path, monkeypatch):
    """The path of an act on three people that has tagged one of them, and failed."""
    done = []

    def fail_at_the_second(*arguments):
        done.append(arguments)
        return 1 / 0 if len(done) == 2 else advance(*arguments)

    advance = stored_actions.advance
    monkeypatch.setattr(bulk_actions, "CHUNK_ROWS", 1)
    monkeypatch.setattr(stored_actions, "advance", fail_at_the_second)
    return act(TAG, "x")


def test_an_act_that_failed_is_taken_back_and_never_goes_on(site, manager, broken, settings):
    assert f'href="/console{broken}/undo"' in manager.get(broken).text
    assert "<dd>1</dd>" in manager.get(f"{broken}/undo").text
    manager.post(f"{broken}/undo")
    manager.post(f"{broken}/retry")
    site_lane.drain(site.id, 30)
    run_bulk_actions(settings.instance)
    shown = manager.get(broken).text
    assert "<b>1</b> restored" in shown
    assert "Stopped by hand: 2 subscribers not reached." in shown
    assert [found(site, f"p{number}@a.example").tag_ids for number in range(3)] == [[], [], []]
    assert "/retry" not in shown


def test_an_act_that_failed_is_stopped_for_good(site, manager, broken):
    assert f'action="/console{broken}/cancel"' in manager.get(broken).text
    manager.post(f"{broken}/cancel")
    shown = manager.get(broken).text
    assert "Stopped by hand: 2 subscribers not reached." in shown
    assert f'href="/console{broken}/undo"' in shown
    assert "/cancel" not in shown
    assert audit_log.page(site)[0].act == "tag added to many subscribers, stopped: x"


def test_whom_an_import_calls_left_is_counted_before_and_after(site, manager):
    items = [(number, {"email": f"p{number}@a.example", "command": "unsubscribe"}) for number in range(3)]
    accepted = imports.accept(site, items, [], FakeQueue(), 0)
    site_lane.drain(site.id, 30)
    path = f"/sites/{site.uuid}/imports/{accepted.id}"
    asked = manager.get(f"{path}/undo").text
    assert "<dt>Stay unsubscribed</dt><dd>3</dd>" in asked
    manager.post(f"{path}/undo")
    site_lane.drain(site.id, 30)
    assert "3 stay unsubscribed." in manager.get(path).text
