"""Bulk actions subscribers that do not go through at once: a worker crashes or fails, somebody stops them."""

import re

import pytest

from audience import jobs
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.bulk import chunks as bulk_chunks
from audience.bulk.actions import NewAction
from audience.searches import searches
from audience.subscribers import stats
from storage.bulk import actions as stored
from tests.console.test_bulk_actions import act, add_people, followed, people, root, tagged, work

__all__ = ["people", "root", "work"]

ACTOR = Actor("meg@example.com")
PEOPLE = 450  # two pieces and a half


class Crash(BaseException):
    """As a kill: no code of ours catches it."""


@pytest.fixture
def many(site, people):
    add_people(site, PEOPLE)
    return [each for page in range(1, 6) for each in people_of(site, page)]


def people_of(site, page):
    return searches.search(site, searches.SearchRequest(after={}, before={}), page)[0]


def test_an_act_that_a_crash_interrupts_goes_on_and_counts_right(
    site, manager, root, later, many, work, monkeypatch
):
    ids = [each.id for each in many]
    assert len(ids) == PEOPLE
    act_ = bulk_actions.begin(
        site, NewAction(kind="unsubscribe", ids=ids, seen=bulk_actions.fingerprint(ids)), ACTOR
    )
    calls = []
    real = stored.drop_chunk

    def fail_at_the_second(site_id, chunk_id):
        calls.append(chunk_id)
        if len(calls) == 2:
            raise Crash
        real(site_id, chunk_id)

    monkeypatch.setattr(stored, "drop_chunk", fail_at_the_second)
    with pytest.raises(Crash):
        work()
    half = bulk_actions.get(site, act_.id)
    assert (half.status, half.done, half.changed) == ("running", 200, 200)
    later(31_000)
    shown = manager.get(f"{root}/acts/{half.id}").text
    assert re.search(r"200 of 450 · about \d+ s left, \d+ subscribers a second", shown)
    assert stats.for_site(site).unsubscribers == 200
    work()
    whole = bulk_actions.get(site, act_.id)
    assert (whole.status, whole.done, whole.changed) == ("finished", PEOPLE, PEOPLE)
    assert stats.for_site(site).unsubscribers == PEOPLE


def die_while_choosing(manager, root, kind):
    """The process dies once it has stored the selection."""

    def die(*_):
        raise Crash

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk_actions, "queue", die)
        with pytest.raises(Crash):
            act(manager, root, kind, all="1", tag="fair")


@pytest.mark.parametrize("kind", ["tag", "export"])
def test_an_act_whose_process_dies_while_choosing_says_within_a_minute_that_it_was_not_begun(
    site, manager, root, work, later, kind
):
    die_while_choosing(manager, root, kind)
    later(29_000)
    work()
    assert bulk_actions.newest(site)[0].status == "selecting"
    later(2_000)
    work()
    [left] = bulk_actions.newest(site)
    page = manager.get(f"{root}/acts/{left.id}").text
    assert "The bulk action did not start" in page
    assert "Requested by meg@example.com" in page
    assert "Download" not in page
    assert "not started" in manager.get(f"{root}/acts").text
    assert manager.get(f"{root}/acts/{left.id}/export.csv").status_code == 404
    assert tagged(site, "fair") == set()
    bulk_chunks.sweep()
    assert list(bulk_actions._chunks(site.id, left.id)) == []


def test_an_act_whose_machine_dies_while_choosing_says_so_too(site, manager, root, later, work):
    """The uptime begins anew."""
    die_while_choosing(manager, root, "tag")
    later(-120_000)
    work()
    assert bulk_actions.newest(site)[0].status == "not begun"


@pytest.mark.parametrize("paused_ms", [0, 59_000])
def test_an_act_that_is_chosen_slowly_is_begun_unless_it_was_given_up(
    site, many, manager, root, work, later, monkeypatch, paused_ms
):
    real = stored.add_chunks

    def slow(*arguments):
        real(*arguments)
        later(paused_ms)
        work()
        later(20_000)

    monkeypatch.setattr(bulk_actions, "CHUNKS_AT_ONCE", 1)
    monkeypatch.setattr(stored, "add_chunks", slow)
    sent = act(manager, root, "tag", all="1", tag="fair")
    work()
    assert len(tagged(site, "fair")) == (0 if paused_ms else 100)
    if paused_ms:
        assert sent.status_code == 422
        assert bulk_actions.NOT_BEGUN in sent.text
    else:
        assert bulk_actions.newest(site)[0].status == "finished"


def test_an_act_is_stopped_where_it_is(site, many, manager, root, work, monkeypatch):
    sent = act(manager, root, "unsubscribe", all="1")
    path = sent.headers["Location"].removeprefix("/console")
    real = stored.drop_chunk

    def stop_after_the_first(site_id, chunk_id):
        real(site_id, chunk_id)
        bulk_actions.cancel(site, bulk_actions.newest(site)[0].id)

    monkeypatch.setattr(stored, "drop_chunk", stop_after_the_first)
    work()
    work()
    stopped = bulk_actions.newest(site)[0]
    assert (stopped.status, stopped.done) == ("canceled", 200)
    assert "Stopped by hand: 250 subscribers not reached." in manager.get(path).text
    bulk_chunks.sweep()
    assert list(bulk_actions._chunks(site.id, stopped.id)) == []


def test_an_act_that_fails_stops_alone_and_can_go_on(site, manager, root, work, monkeypatch):
    broken = act(manager, root, "tag", all="1", tag="fair")
    fine = act(manager, root, "unsubscribe", all="1")
    real = bulk_chunks._change
    monkeypatch.setattr(bulk_chunks, "_change", lambda each: real(each) if each.kind != "tag" else 1 / 0)
    work()
    assert "9 subscribers unsubscribed" in followed(manager, fine).text
    assert "The bulk action failed" in followed(manager, broken).text
    [trouble] = jobs.list_failed()
    assert (trouble.kind, trouble.status, trouble.attempts) == ("bulk_act", "failed", 1)
    assert trouble.reason.startswith("ZeroDivisionError at ")
    monkeypatch.undo()
    manager.post(broken.headers["Location"].removeprefix("/console") + "/retry")
    work()
    assert len(tagged(site, "fair")) == 9
    assert jobs.list_failed() == []
