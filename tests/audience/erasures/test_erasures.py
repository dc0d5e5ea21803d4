"""Erasures: the log is ahead of the database, whatever happens in between."""

from functools import partial

import pytest

from audience import clock
from audience.access import site_keys, sites
from audience.erasures import erasures
from audience.erasures import log as erasure_log
from audience.subscribers import subscribers
from storage import database
from storage.erasures import suppressions
from tests.client import open_client

ANN = "ann@example.com"


@pytest.fixture
def client(app):
    api = open_client(app.test_client())
    api.create(ANN)
    return api


@pytest.mark.of_sqlite
def test_an_erasure_that_fails_is_in_the_log_and_can_be_repeated(client, settings, monkeypatch):
    def fail(*_):
        raise OSError("disk")

    with monkeypatch.context() as patch:
        patch.setattr(suppressions, "add", fail)
        with pytest.raises(OSError, match="disk"):
            erasures.erase(client.site, settings.instance, email=ANN)
    ann = subscribers.find(client.site, ANN)
    assert ann is not None
    assert client.counts() == (1, 1, 0)
    erasures.erase(client.site, settings.instance, email=ANN)
    assert subscribers.find(client.site, ANN) is None
    assert client.counts() == (0, 0, 0)
    [line] = erasure_log.list_all(settings.instance)
    assert line.hashes == tuple(site_keys.address_hash(client.site.id, each) for each in (ANN, ann.uuid))


def test_an_erasure_is_no_older_than_what_was_accepted_when_the_clock_was_set_back(
    client, settings, monkeypatch
):
    with database.write(client.site.id):
        accepted = subscribers.accept_now(client.site.id)
    monkeypatch.setattr(clock, "now_ms", lambda: accepted.at - 60_000)
    erasures.erase(client.site, settings.instance, email=ANN)
    assert {each.at for each in erasure_log.list_all(settings.instance)} == {accepted.at}


def test_one_address_has_another_hash_on_every_site(client, settings):
    other = sites.create("Another")
    for site in (client.site, other):
        erasures.erase(site, settings.instance, email=ANN)
    first, second = erasure_log.list_all(settings.instance)
    assert first.address_hash != second.address_hash
    assert first.site_uuid != second.site_uuid


@pytest.mark.parametrize(("octets", "found"), [
    (b"", []),
    (b'{"at": 1', []),
    (b'{"at": 1}\n', [1, 1]),
    (b'{"at": 1}\n{"at": 2}\n{"at": 3', [1, 2]),
    (b'[1]\n{"at": 2}\n', [2]),
    (b"\xff\n\n" + b'{"at": 2}\n', [2]),
    (b'{"at": 1}\n' * 5_000 + b'{"at": 9}\n', [1, 9]),
])  # fmt: skip
def test_the_boundaries_of_a_log_are_those_that_can_be_read(tmp_path, octets, found):
    (tmp_path / erasure_log.LOG).write_bytes(octets)
    assert [entry["at"] for entry in erasure_log.boundaries(tmp_path / erasure_log.LOG)] == found


def test_erasing_thirty_takes_no_more_statements_than_erasing_five(client, settings, monkeypatch):
    opened, sent = database.database.obj, list[str]()
    for name in ("execute_sql", "execute_many"):
        run = getattr(opened, name)
        monkeypatch.setattr(opened, name, partial(_noted, sent, run))

    def erased(keys):
        with database.write(client.site.id):
            accepted = subscribers.accept_now(client.site.id)
            del sent[:]
            erasures.erase_several(client.site, settings.instance, keys, accepted)
            return len(sent)

    people = [f"p{number}@example.com" for number in range(35)]
    for email in people:
        client.create(email, tags="a,b", plan="pro")
    few = erased(people[:5])
    assert erased(people[5:]) <= few


def _noted(sent, run, sql, *args, **options):
    sent.append(sql)
    return run(sql, *args, **options)


def test_erasing_again_reads_all_subscribers_in_pieces(client, monkeypatch):
    monkeypatch.setattr(erasures, "CHUNK_ROWS", 2)
    for number in range(7):
        client.create(f"p{number}@example.com")
    gone = ["ann@example.com", "p3@example.com", "p6@example.com", "nobody@example.com"]
    since = {site_keys.address_hash(client.site.id, email): 5 for email in gone}
    assert erasures.erase_again(client.site, since) == 3
    assert client.counts() == (5, 5, 0)
    assert erasures.erase_again(client.site, since) == 0
    with database.session():
        assert database.rows("SELECT count(*) FROM suppressions") == [(4,)]
