"""The audit log: pages, what is kept of an address, and how old entries go."""

import random
import string

import pytest

from audience import clock
from audience.access import audit_log
from audience.access.audit_log import Actor, page, record, sweep
from storage import database

ANN = Actor("ann@example.com", "192.0.2.0/24")


def test_a_long_subject_is_cut(client):
    subject = "".join(random.Random(1).choices(string.ascii_letters, k=9_000))
    record(ANN, "renamed", client.site, subject)
    assert page(client.site)[0].subject == subject[:255]


def test_a_site_sees_its_own_entries_newest_first(client, other_client):
    record(ANN, "renamed", client.site, "News")
    record(ANN, "tagged", client.site, "segment", 312, {"tag": "vip"})
    record(ANN, "renamed", other_client.site)
    record(ANN, "operator added")
    entries = page(client.site)
    assert [(entry.act, entry.subject, entry.subjects) for entry in entries[:2]] == [
        ("tagged", "segment", 312),
        ("renamed", "News", 1),
    ]
    assert page(None)[0].act == "operator added"
    assert {"tagged", "renamed"}.isdisjoint(entry.act for entry in page(None))
    assert page(client.site, entries[0].id)[0].act == "renamed"


def test_what_fails_is_not_recorded(app):
    @database.write()
    def broken():
        record(ANN, "half done")
        raise KeyError

    with pytest.raises(KeyError):
        broken()
    assert page(None) == []


def test_old_entries_go_in_pieces(app, monkeypatch):
    monkeypatch.setattr(audit_log, "CHUNK_ROWS", 2)
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now - 31 * clock.DAY_MS)
    for number in range(3):
        record(ANN, f"old {number}")
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    record(ANN, "new")
    left = []
    for _ in range(3):
        sweep(30)
        left.append([entry.act for entry in page(None)])
    assert left == [["new", "old 2"], ["new"], ["new"]]


@pytest.mark.parametrize(
    "at", ["@", "\uff20", "%40", "%2540", "&#64;", "&#X40;", "&commat;", "=40", "\\u0040"]
)
def test_of_an_address_only_that_it_was_one_is_kept(client, at):
    address = f"ann{at}example.com"
    record(ANN, f"tag added: {address}", client.site, f"({address})", 1, {"q": f"Ann {address}"})
    entry = page(client.site)[0]
    assert entry.act == "tag added: (an address)"
    assert entry.subject == "((an address))"
    assert entry.typed == '{"q":"Ann (an address)"}'
