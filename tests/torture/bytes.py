"""Requests byte by byte, on a socket: smuggling, encodings, nesting, sizes, with and without a key.

Whatever is sent: no 5xx, no wait of over two seconds, and errors of the API are JSON. One of
three is followed by a good request on the same connection, which is answered rightly or not at all. No web
process ends.
"""

import http.client
import io
import itertools
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random

from tests.client import basic
from tests.service import Service
from tests.torture.kill import PARTS
from tests.torture.world import opened_world

SHORT = LONG = 3_000
UNIT = "requests"
MAX_SECONDS, PATIENCE_SECONDS = 2.0, 10.0
KEPT_EVERY = 3
EMPTY_ERRORS = (400, 414, 431, 505)  # of the web server itself, before there is a request

METHODS = (
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "PATCH",
    "get",
    "G\u00cbT",
    "A" * 300,
)
TARGETS = (
    "/api/v1/fetch/tags", "/api/v1/batch/subscribers", "/api/v1/fetch/search", "/api/v1/fetch/subscribers",
    "/api/v1/batch/imports", "/api/v1/fetch/segments/1", "/api/v1/experimental/blacklist",
    "/api//v1///fetch/tags//",
    "/api/v1/fetch/tags/%00", "/api/v1/fetch/tags/%ff%fe", "/api/v1/../../etc/passwd", "/api/v1/%2e%2e/%2f",
    "/api/v1/fetch/tags?page=%", "/api/v1/fetch/search?a[b=c&a]=[", "/api/v1/fetch/search?" + "a=b&" * 2_000,
    "/api/v1/fetch/subscribers?email=%2540&email=", "/" + "a" * 9_000, "*",
    "http://other.example/api/v1/fetch/tags",
    "/api/v1/fetch/tags#x", "/api/v1/fetch/tags?site_uuid=x?site_uuid=y", "//api/v1/fetch/tags",
    "/api/v1/\ud7ff",
    "/console", "/console/%2e%2e", "/healthz?\x01", "/docs/..%2f..", "/api/openapi.json",
)  # fmt: skip
VERSIONS = ("HTTP/1.1", "HTTP/1.0", "HTTP/9.9", "", "HTTP/1.1 ")
HEADERS = (
    "", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
    "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, identity", "Transfer-Encoding:\tchunked",
    "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 5", "Content-Length: -1",
    "Content-Length: +5",
    "Content-Length: 0x5", "Content-Length: 99999999999999999999", "Content-Length:", "Content-Length : 5",
    "Content-Encoding: gzip", "Content-Type: application/json; charset=utf-16", "Content-Type: \xff",
    "Content-Type: multipart/form-data; boundary=x", "Content-Type: application/x-www-form-urlencoded",
    "Expect: 100-continue", "Expect: nonsense", "Connection: upgrade\r\nUpgrade: h2c", "X: " + "y" * 9_000,
    "X-Forwarded-For: " + "1.1.1.1, " * 500, "Authorization: Basic \xe9\xe9", "Authorization: Basic ====",
    "Authorization: Bearer x", "Cookie: " + "a=b; " * 500, " folded: x", "no colon", "\x00: x",
    "Range: bytes=0-1",
    "Accept-Encoding: gzip;q=x", "Host: a\r\nHost: b", "If-Modified-Since: yesterday",
)  # fmt: skip
BODIES = (
    b"", b"{}", b"null", b"[]", b'"x"', b"{", b"[" * 10_000, b'{"a":' * 10_000,
    b"\xff\xfe{\x00}\x00", b"\xef\xbb\xbf{}",
    b'{"subscribers": [{"email": "\\ud800@b.example"}]}', b'{"tag": {"name": "\\u0000"}}', b'{"page": 1e999}',
    b'{"page": NaN}', b'{"page": ' + b"9" * 5_000 + b"}", b'{"site_uuid": [1]}', b'{"a": 1, "a": 2}',
    b"1" * 70_000,
    b'{"tag": {"name": "' + b"x" * 70_000 + b'"}}', b"5\r\n{\"a\":\r\n0\r\n\r\n", b"ffffffffffffffffff\r\nx",
    b"-1\r\nx\r\n0\r\n\r\n",
    b"0\r\n\r\nGET /api/v1/fetch/tags HTTP/1.1\r\nHost: x\r\n\r\n", b"5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n",
    b"a=b&c=d",
    b"\x1f\x8b\x08\x00garbage", b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--x--\r\n",
)  # fmt: skip


Request = tuple[str, str, str, str, bytes, bool]  # as `written` takes it
GOOD: Request = ("GET", "/api/v1/fetch/sites", VERSIONS[0], HEADERS[0], BODIES[0], True)


def corpus() -> list[Request]:
    """`SHORT` of all combinations, the same each time."""
    chance = Random(3_000)
    every = [(header, body) for header, body in itertools.product(HEADERS, BODIES)]
    return [
        (
            chance.choice(METHODS[:4] if chance.random() < 0.7 else METHODS),
            chance.choice(TARGETS),
            VERSIONS[0] if chance.random() < 0.9 else chance.choice(VERSIONS),
            *every[number % len(every)],
            chance.random() < 0.7,
        )
        for number in range(SHORT)
    ]


@contextmanager
def opened(short: bool) -> Iterator[object]:
    requests = corpus()
    with opened_world({"AUDIENCE_AUTH_FAILURES": "100000/minute"}) as world:
        web, good = world.running(PARTS["web"]), written(world.service, *GOOD)

        def attack(number: int, chance: Random) -> dict[str, float]:
            is_kept = number % KEPT_EVERY == 0
            request = written(world.service, *requests[number], is_kept=is_kept)
            began = time.monotonic()
            answer = sent(world.service.port, request + good if is_kept else request, is_kept)
            seconds = time.monotonic() - began
            assert seconds < (PATIENCE_SECONDS if short else MAX_SECONDS), (
                f"{seconds:.1f} s: {request[:300]!r}"
            )
            judge(answer, requests[number])
            if is_kept and answer:
                judge_kept(answer, requests[number], world.service.first["site_uuid"].encode())
            return {"longest ms": seconds * 1000}

        yield attack
        assert world.call("GET", "/stats/site")[0] == 200
        assert world.running(PARTS["web"]) == web, "a web process has ended"


def written(
    service: Service,
    method: str,
    target: str,
    version: str,
    header: str,
    body: bytes,
    with_key: bool,
    is_kept: bool = False,
) -> bytes:
    key = basic(service.first["publishable_key"], service.first["secret_key"])
    lines = [f"{method} {target} {version}".rstrip(), "Host: x"]
    lines += [] if is_kept else ["Connection: close"]
    lines += [f"Authorization: {key}"] if with_key and "Authorization" not in header else []
    lines += [header] if header else []
    if "content-length" not in header.lower() and "transfer-encoding" not in header.lower():
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogatepass") + body


def sent(port: int, request: bytes, is_kept: bool) -> bytes:
    """Sends a request. Returns all that comes back until the server closes."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as client:
        with suppress(ConnectionResetError, BrokenPipeError):  # it may close before it has read all
            client.sendall(request)
        with suppress(OSError):
            if not is_kept:
                client.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            while piece := client.recv(65536):
                received += piece
    return received


def judge(answer: bytes, request: Request) -> None:
    head, _, body = answer.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n").partition(b"\r\n\r\n")
    if not head:
        return  # it was no request
    status = int(head.split(None, 2)[1])
    assert status < 500 or status == 505, f"{status} to {request!r:.300}"
    is_api = "/api/" in request[1] and request[0] != "HEAD"
    if status >= 400 and is_api and not (status in EMPTY_ERRORS and not body):
        assert b"content-type: application/json" in head.lower(), f"{head!r:.200} to {request!r:.300}"


class Received(io.BytesIO):
    """The bytes received on a connection, from which one answer after another is read."""

    def makefile(self, _: str) -> "Received":
        return self

    def close(self) -> None:
        """Does nothing: an answer does not end the connection."""


def judge_kept(received: bytes, request: Request, own: bytes) -> None:
    """Asserts that the first answer is followed by nothing, or by the answer to `GOOD`, which names the own
    site.
    """
    connection = Received(received)
    take(connection, request[0])
    while connection.tell() < len(received):
        status, body = take(connection, GOOD[0])
        assert (status, own in body) == (200, True), f"{status} to what followed {request!r:.300}"


def take(connection: Received, method: str) -> tuple[int, bytes]:
    answer = http.client.HTTPResponse(connection, method=method)  # type: ignore[arg-type]
    answer.begin()
    return answer.status, answer.read()
