"""A server that is silent, or lost in the middle: nothing is said that is not known."""

import select
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Thread

import pytest

from audience.access import sites
from storage import database
from storage.engines import postgresql_connections
from storage.errors import Unavailable, Unfinished, Unreachable

SOCKET = ".s.PGSQL.5432"
THREADS = 8


@pytest.fixture
def url(server, migrated_on_server):
    url = server.create(migrated_on_server)
    yield url
    database.close()
    server.drop(url)


@contextmanager
def listening(folder):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / SOCKET))
        listener.listen()
        yield listener


def relay(listener, to):
    """Passes on what one connection says, and ends it in place of the answer to its COMMIT."""
    client, _ = listener.accept()
    with client, socket.socket(socket.AF_UNIX) as server:
        server.connect(str(to / SOCKET))
        commits = False
        while not commits:
            for ready in select.select([client, server], [], [])[0]:
                data = ready.recv(65_536)
                commits |= ready is client and b"COMMIT\0" in data
                (server if ready is client else client).sendall(data)
        server.recv(65_536)


def test_many_threads_wait_for_one_attempt_at_a_silent_server(tmp_path, monkeypatch):
    monkeypatch.setattr(postgresql_connections, "LET_BE_SECONDS", 600)
    database.open(f"postgresql://audience@/audience?host={tmp_path}&connect_timeout=2")

    def connect(_):
        with pytest.raises(Unreachable), database.session():
            pass

    with listening(tmp_path) as listener, ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(connect, range(THREADS)))
        listener.accept()[0].close()
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
    database.close()


def test_it_is_not_said_that_nothing_was_written_when_the_commit_was_lost(server, url, tmp_path):
    with listening(tmp_path) as listener:
        database.open(url.replace(str(server.folder), str(tmp_path)))
        relayed = Thread(target=relay, args=(listener, server.folder))
        relayed.start()
        with pytest.raises(Unfinished):
            sites.create("Written")
        relayed.join()
    database.open(url)
    assert [site.name for site in sites.list_all()] == ["Written"]


def test_a_write_that_is_refused_is_not_unfinished(server, url):
    database.open(url.replace("audience@", "nobody_here@"))
    with pytest.raises(Unavailable) as raised:
        sites.create("Not written")
    assert not isinstance(raised.value, Unfinished)
