"""What the gateway tells a WSGI application of a request."""

import asyncio
import threading
import tracemalloc
from typing import Any

import pytest

from audience.config import Settings
from tests.service import PATIENCE_SECONDS
from workers.web.gateway import Gateway
from workers.web.threads import Threads

SCOPE = {
    "type": "http",
    "http_version": "1.1",
    "method": "GET",
    "scheme": "http",
    "path": "/",
    "query_string": b"",
    "headers": [],
    "server": ("::", 80),
}


async def nothing(*_):
    pass


def gateway_to(tmp_path, seen, admit=lambda _: None):
    """A gateway to an application that only notes the environ of each request."""

    def application(environ, start_response):
        seen.append(environ)
        start_response("200 OK", [("Content-Length", "0")])
        return []

    return Gateway(application, admit, Settings(instance=tmp_path), Threads(8))


def environ_of(tmp_path, **scope):
    """The environ of one request without a body."""
    seen = list[dict[str, Any]]()
    asyncio.run(gateway_to(tmp_path, seen)(SCOPE | scope, nothing, nothing))
    return seen[0]


@pytest.mark.parametrize(
    ("client", "address"),
    [
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("::1", "::1"),
        ("2001:db8::7", "2001:db8::7"),
        ("192.0.2.1", "192.0.2.1"),
    ],
)
def test_an_ipv4_client_of_a_socket_of_both_families_has_its_ipv4_address(tmp_path, client, address):
    assert environ_of(tmp_path, client=(client, 4711))["REMOTE_ADDR"] == address


def test_a_header_cannot_pose_as_what_admission_found(tmp_path):
    sent = [(b"audience.key", b"x"), (b"audience.refusal", b"x"), (b"audience_key", b"x"), (b"x-a", b"1")]
    environ = environ_of(tmp_path, client=("192.0.2.1", 1), headers=sent)
    assert environ["HTTP_X_A"] == "1"
    assert not {"audience.key", "audience.refusal", "AUDIENCE.KEY", "HTTP_AUDIENCE_KEY"} & environ.keys()


def test_the_long_names_of_headers_that_a_client_made_up_are_not_kept(tmp_path):
    seen = list[dict[str, Any]]()
    gateway = gateway_to(tmp_path, seen)
    tracemalloc.start()
    try:
        for name in (b"x-%060000d", b"x-%d"):
            headers = [(name % number, b"1") for number in range(300)]
            asyncio.run(gateway(SCOPE | {"client": ("192.0.2.1", 1), "headers": headers}, nothing, nothing))
            assert len(seen.pop()) > 300
        assert tracemalloc.get_traced_memory()[0] < 2**20
    finally:
        tracemalloc.stop()


def test_an_admission_that_takes_long_delays_no_other(tmp_path):
    seen, together = list[dict[str, Any]](), threading.Barrier(2)

    def meet(_):
        together.wait(PATIENCE_SECONDS)

    gateway = gateway_to(tmp_path, seen, meet)
    scope = SCOPE | {"client": ("192.0.2.1", 1), "headers": [(b"content-length", b"5")]}

    async def gone():
        return {"type": "http.disconnect"}

    async def ask_twice():
        await asyncio.gather(*(gateway(scope, gone, nothing) for _ in range(2)))

    asyncio.run(ask_twice())
    assert len(seen) == 2
