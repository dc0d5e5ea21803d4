"""A request body at its own door: what is taken and kept, and how much of a refused one is dropped."""

import asyncio
import os
from contextlib import closing, suppress
from pathlib import Path

import pytest

from audience.config import Settings
from audience.errors import TooLate
from tests.service import PATIENCE_SECONDS
from workers.web import body as web_body
from workers.web.body import MAX_DISCARDS, MAX_MEMORY_BYTES, Body

CHUNKED = {"HTTP_TRANSFER_ENCODING": "chunked"}
MEBIBYTE = b"x" * 2**20


class Client:
    """Sends as many pieces as it is asked for, each after `seconds`; the last one where `pieces` end."""

    def __init__(self, pieces=10**9, seconds=0.0):
        self.pieces, self.seconds, self.sent, self.now = pieces, seconds, 0, 0.0

    async def __call__(self):
        self.now += self.seconds
        self.sent += 1
        await asyncio.sleep(0)
        return {"type": "http.request", "body": MEBIBYTE, "more_body": self.sent < self.pieces}


class Silent:
    """A client that announces a body and sends none."""

    asked = 0

    async def __call__(self):
        self.asked += 1
        await asyncio.Event().wait()


def files_without_a_name(folder):
    """Those that this process has open."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(os.readlink(descriptor))
    return [name for name in found if name.startswith(f"{folder}/") and name.endswith(" (deleted)")]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not list open files")
@pytest.mark.parametrize(("pieces", "files"), [(MAX_MEMORY_BYTES // 2**20, 0), (3, 1)])
def test_a_large_body_is_in_a_file_of_the_instance_that_has_no_name(tmp_path, pieces, files):
    with closing(Body(Client(pieces), CHUNKED, Settings(instance=tmp_path))) as body:
        asyncio.run(body.take(2**30))
        assert body.file.read() == MEBIBYTE * pieces
        assert len(files_without_a_name(tmp_path)) == files
    assert not files_without_a_name(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("seconds", "is_late"), [(4.0, False), (6.0, True)])
def test_a_longer_body_has_more_time(tmp_path, monkeypatch, seconds, is_late):
    settings = Settings(instance=tmp_path, body_timeout=5.0, max_body_bytes=2**20)
    client = Client(10, seconds)

    async def take(body):
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: client.now)
        await body.take(2**30)

    with closing(Body(client, CHUNKED, settings)) as body:
        if is_late:
            with pytest.raises(TooLate):
                asyncio.run(take(body))
        else:
            asyncio.run(take(body))
            assert body.received == 10 * 2**20


def test_of_a_body_without_end_no_more_is_dropped_than_a_body_may_have(tmp_path):
    client, settings = Client(), Settings(instance=tmp_path)
    with closing(Body(client, CHUNKED, settings)) as body:
        asyncio.run(body.discard())
    assert client.sent * 2**20 == settings.max_body_bytes


def test_a_body_that_does_not_come_is_waited_for_no_longer_than_some_seconds(tmp_path, monkeypatch):
    monkeypatch.setattr(web_body, "DISCARD_SECONDS", 0.01)
    client = Silent()
    with closing(Body(client, CHUNKED, Settings(instance=tmp_path))) as body:
        asyncio.run(asyncio.wait_for(body.discard(), PATIENCE_SECONDS))
    assert client.asked == 1


def test_only_so_many_bodies_are_dropped_at_once(tmp_path):
    client = Silent()

    async def drop():
        bodies = [Body(client, CHUNKED, Settings(instance=tmp_path)) for _ in range(MAX_DISCARDS + 1)]
        dropping = [asyncio.ensure_future(body.discard()) for body in bodies]
        done, waiting = await asyncio.wait(dropping, return_when=asyncio.FIRST_COMPLETED)
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return len(done)

    assert asyncio.run(drop()) == 1
    assert client.asked == MAX_DISCARDS


def test_a_client_that_waits_for_100_continue_is_not_told_to_go_on(tmp_path):
    client = Silent()
    with closing(
        Body(client, CHUNKED | {"HTTP_EXPECT": "100-continue"}, Settings(instance=tmp_path))
    ) as body:
        asyncio.run(body.discard())
    assert client.asked == 0
