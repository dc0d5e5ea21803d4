"""What the gateway tells a WSGI application of a request."""

import asyncio

import pytest

from audience.config import Settings
from workers.web.gateway import Gateway

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


def environ_of(tmp_path, **scope):
    """The environ of one request without a body."""
    seen = []

    def application(environ, start_response):
        seen.append(environ)
        start_response("200 OK", [("Content-Length", "0")])
        return []

    async def nothing(*_):
        pass

    gateway = Gateway(application, lambda _: None, Settings(instance=tmp_path))
    asyncio.run(gateway(SCOPE | scope, nothing, nothing))
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
