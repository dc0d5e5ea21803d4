"""Exports to a browser: the audit log says how many were sent to whom, also of one that was broken off."""

import pytest

from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.searches import exports
from audience.searches import lists as subscriber_lists
from audience.segments import segments
from audience.subscribers import subscribers
from tests.console.browser import signed_in

PEOPLE = 6


@pytest.fixture(autouse=True)
def people(site, monkeypatch):
    monkeypatch.setattr(bulk_actions, "CHUNK_ROWS", 2)
    monkeypatch.setattr(exports, "PAGE_SIZE", 2)
    for number in range(PEOPLE):
        subscribers.create(site, {"email": f"p{number}@a.example", "tags": ["vip"]})


@pytest.fixture
def path(site):
    """Of an export that olga has asked for."""
    ids = subscriber_lists.ids(site, subscriber_lists.ListRequest())
    new = bulk_actions.NewAction(kind="export", ids=ids, seen=bulk_actions.fingerprint(ids))
    return f"/sites/{site.uuid}/acts/{bulk_actions.begin(site, new, Actor('olga@example.com')).id}"


def newest(site):
    entry = audit_log.page(site)[0]
    return entry.actor, entry.act, entry.subject, entry.subjects


def break_off(sent):
    """Reads the header and the first people, then hangs up."""
    parts = iter(sent.response)
    read = next(parts) + next(parts)
    assert b"@a.example" in read
    sent.close()


def test_the_log_says_who_took_the_file_and_how_many_were_in_it(app, site, path):
    assert newest(site) == ("olga@example.com", "many subscribers exported, started", "bulk action 1", PEOPLE)
    max_ = signed_in(app, "max@example.com", {site: "manager"})
    shown = max_.get(path).text
    assert "6 subscribers ready to download" in shown
    assert "Sent to" not in shown
    sent = max_.get(f"{path}/export.csv")
    assert sent.text.count("@a.example") == PEOPLE
    assert sent.headers["X-Accel-Buffering"] == "no"  # nginx would keep a copy on its disk
    assert newest(site) == ("max@example.com", "many subscribers exported", "bulk action 1", PEOPLE)
    assert "Downloaded by max@example.com" in max_.get(path).text


def test_a_file_that_was_broken_off_is_logged_with_what_was_sent(site, manager, path):
    with manager.http.get(f"/console{path}/export.csv", base_url=manager.origin, buffered=False) as sent:
        break_off(sent)
    entry = newest(site)
    assert entry[:3] == ("meg@example.com", "many subscribers exported, interrupted", "bulk action 1")
    assert 0 < entry[3] < PEOPLE


def test_a_segment_is_logged_at_its_end(site, manager):
    made = segments.create(site, {"name": "Vips", "rules": {"tag": "vip"}})
    path = f"/sites/{site.uuid}/segments/{made.id}/export"
    assert manager.post(path).text.count("@a.example") == PEOPLE
    assert newest(site) == ("meg@example.com", "segment exported", "Vips", PEOPLE)
    assert audit_log.page(site)[1].act == "segment exported, started"
