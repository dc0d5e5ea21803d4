"""A story: mail programs unsubscribe with one click (RFC 8058) at the served address, whatever they send."""

import http.client
from collections.abc import Iterable
from typing import Any, NamedTuple

import pytest

from tests.service import PATIENCE_SECONDS, Service, serving

ANN = "ann@example.com"
FORM = "application/x-www-form-urlencoded"
MULTIPART = b'--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
BODIES: dict[str, tuple[str, Any]] = {
    "urlencoded": (FORM, b"List-Unsubscribe=One-Click"),
    "multipart": ("multipart/form-data; boundary=x", MULTIPART),
    "text": ("text/plain", b"List-Unsubscribe=One-Click"),
    "chunked": (FORM, [b"List-Unsub", b"scribe=One-Click"]),
    "none": ("", None),
    "empty": (FORM, b""),
    "full": (FORM, b"a" * 2**14),
}


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("one-click")) as service:
        service.call("POST", "/fetch/subscribers", {"subscriber": {"email": ANN}})
        yield service


@pytest.fixture(scope="module")
def path(service):
    status, answer = service.call("GET", f"/fetch/links?email={ANN}")
    assert status == 200
    return f"/unsubscribe/{answer['data']['unsubscribe'].rpartition('/')[2]}"


def send(
    service: Service, method: str, path: str, kind: str = "", body: bytes | Iterable[bytes] | None = None
) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_SECONDS)
    try:
        is_chunked = isinstance(body, list)
        headers = {"Content-Type": kind} if kind else {}
        headers |= {"Transfer-Encoding": "chunked"} if is_chunked else {}
        connection.request(method, path, body, headers, encode_chunked=is_chunked)
        answered = connection.getresponse()
        return Answer(answered.status, answered.headers, answered.read())
    finally:
        connection.close()


def is_subscribed(service):
    status, answer = service.call("GET", f"/fetch/subscribers?email={ANN}")
    assert status == 200
    return answer["data"]["attributes"]["unsubscribed_at"] is None


@pytest.mark.parametrize("name", BODIES)
def test_one_post_unsubscribes_whatever_its_body(service, path, name):
    service.call("POST", "/fetch/commands", {"command": {"email": ANN, "command": "subscribe"}})
    for method in ("GET", "HEAD"):
        assert send(service, method, path).status == 200
    assert is_subscribed(service)
    for _ in range(2):
        answered = send(service, "POST", path, *BODIES[name])
        assert answered.status == 200
        assert not {"set-cookie", "location"} & {header.lower() for header in answered.headers}
        assert not is_subscribed(service)
        assert (answered.body == b"Unsubscribed.\n") == (
            name in ("urlencoded", "multipart", "text", "chunked")
        )


def test_a_larger_body_is_refused(service, path):
    service.call("POST", "/fetch/commands", {"command": {"email": ANN, "command": "subscribe"}})
    for body in (b"a" * (2**14 + 1), [b"a" * 2**14, b"a"]):
        assert send(service, "POST", path, FORM, body).status == 413
    assert is_subscribed(service)
