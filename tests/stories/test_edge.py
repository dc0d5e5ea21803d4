"""A story: what the web server does before the application sees a request.

(docs/contract.md, Order of refusals)
"""

import base64
import itertools
import json
import os
import signal
import socket
import threading
from contextlib import closing
from typing import Any

import apsw
import pytest

from tests.response_heads import RECORDED, heads
from tests.service import PATIENCE_SECONDS, serving, until

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@pytest.fixture(scope="module")
def service(tmp_path_factory, geo_table):
    limits: dict[str, Any] = {"AUDIENCE_IMPORT_MAX_BYTES": "4096", "AUDIENCE_BODY_TIMEOUT": "2"}
    instance = tmp_path_factory.mktemp("edge")
    os.link(geo_table, instance / geo_table.name)
    with serving(instance, AUDIENCE_WEB_WORKERS="2", **limits) as running:
        yield running


def connect(service):
    return socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE_SECONDS)


def head(service, method, path, *lines, keys=None):
    keys = keys or f"{service.first['publishable_key']}:{service.first['secret_key']}"
    basic = base64.b64encode(keys.encode()).decode()
    first = (f"{method} /api/v1{path} HTTP/1.1", "Host: x", f"Authorization: Basic {basic}")
    return "\r\n".join([*first, *lines, "", ""]).encode()


def answer(client):
    """`(status, JSON)` of the next answer on a connection."""
    status, body = whole_answer(client)
    return status, json.loads(body)


def whole_answer(client):
    """`(status, body)` of the next answer on a connection."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += client.recv(65536) or pytest.fail(f"no answer: {received!r}")
    start, _, body = received.partition(b"\r\n\r\n")
    length = int(start.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
    while len(body) < length:
        body += client.recv(65536) or pytest.fail("the response ended early")
    return int(start.split()[1]), body


def ask(service, request):
    with connect(service) as client:
        client.sendall(request)
        return answer(client)


def test_the_heads_of_all_responses_are_as_recorded(service):
    assert heads(service) == json.loads(RECORDED.read_text())


@pytest.mark.parametrize(
    ("method", "path", "lines", "keys", "status"),
    [
        ("POST", "/nowhere", ["Content-Length: 100000000"], None, 404),
        ("PATCH", "/fetch/tags", ["Content-Length: 100000000"], None, 405),
        ("POST", "/fetch/tags", ["Content-Length: 100000000"], "pk_no:sk_no", 401),
        ("POST", "/fetch/tags", ["Transfer-Encoding: chunked"], "pk_no:sk_no", 401),
        ("POST", "/fetch/tags", ["Content-Length: 1048577"], None, 413),
        ("POST", "/batch/subscribers", ["Content-Length: 8388609"], None, 413),
        ("POST", "/batch/imports", ["Content-Length: 4097", "Content-Type: text/csv"], None, 413),
        ("POST", "/batch/imports", ["Content-Length: 5", "Content-Type: text/plain"], None, 415),
        ("POST", "/fetch/tags", ["Content-Length: 5", "Content-Type: multipart/form-data"], None, 415),
    ],
)
def test_a_request_is_refused_before_its_body_is_sent(service, method, path, lines, keys, status):
    for expect in ([], ["Expect: 100-continue"]):
        assert ask(service, head(service, method, path, *lines, *expect, keys=keys))[0] == status


def test_an_admitted_client_is_told_to_send_its_body(service):
    body = b'{"tag": {"name": "vip"}}'
    lines = ["Expect: 100-continue", f"Content-Length: {len(body)}"]
    with connect(service) as client:
        client.sendall(head(service, "POST", "/fetch/tags", *lines))
        assert client.recv(100) == CONTINUE
        client.sendall(body)
        assert answer(client)[0] == 201


def form_head(service, path, *lines, site="same-origin"):
    first = (f"POST /console{path} HTTP/1.1", f"Host: localhost:{service.port}", f"Sec-Fetch-Site: {site}")
    form = "Content-Type: application/x-www-form-urlencoded"
    return "\r\n".join([*first, form, *lines, "", ""]).encode()


@pytest.mark.parametrize(
    ("path", "site", "body", "status"),
    [
        ("/sign-in", "same-origin", "Content-Length: 65537", 413),
        ("/link", "same-origin", "Content-Length: 16385", 413),
        ("/sign-in", "cross-site", "Content-Length: 5", 403),
        ("/sign-out", "same-origin", "Content-Length: 16385", 303),
        ("/sign-out", "cross-site", "Content-Length: 5", 303),
        ("/operators", "same-origin", "Content-Length: 1048576", 303),
        ("/link", "same-origin", "Transfer-Encoding: chunked", 400),
    ],
)
def test_a_form_is_refused_before_it_is_sent(service, path, site, body, status):
    for lines in ([], ["Expect: 100-continue"], ["Cookie: audience_session=made-up"]):
        with connect(service) as client:
            client.sendall(form_head(service, path, body, *lines, site=site))
            assert whole_answer(client)[0] == status


def test_a_form_that_is_late_is_a_408(service):
    with connect(service) as client:
        client.sendall(form_head(service, "/sign-in", "Content-Length: 5"))
        assert whole_answer(client)[0] == 408


@pytest.mark.parametrize("path", ["/docs", "/healthz", "/console/sign-in"])
def test_a_page_that_takes_no_body_is_not_sent_one(service, path):
    lines = ["Host: x", "Expect: 100-continue", "Content-Length: 1048576", "", ""]
    with connect(service) as client:
        client.sendall("\r\n".join([f"GET {path} HTTP/1.1", *lines]).encode())
        assert client.recv(12) != CONTINUE[:12]


def test_a_body_that_is_late_is_a_408(service):
    status, body = ask(service, head(service, "POST", "/fetch/tags", "Content-Length: 5"))
    assert (status, body["error"].partition(":")[0]) == (408, "Timeout")


def test_a_chunked_file_over_the_limit_is_a_413_and_leaves_nothing(service):
    lines = ["Content-Type: text/csv", "Transfer-Encoding: chunked"]
    text = b"email\n" + b"ann@example.com\n" * 1000
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(text), text)
    assert ask(service, head(service, "POST", "/batch/imports", *lines) + chunks)[0] == 413
    assert service.call("GET", "/batch/imports?site_uuid=")[1] == {"data": imports_before(service)}


def form(service, *lines):
    host = f"127.0.0.1:{service.port}"
    first = ("POST /console/sign-in HTTP/1.1", f"Host: {host}", f"Origin: http://{host}")
    kind = "Content-Type: application/x-www-form-urlencoded"
    return "\r\n".join([*first, kind, *lines, "", ""]).encode()


def status(client):
    return int(client.recv(65536).split()[1])


def test_a_form_that_breaks_off_or_is_late_is_not_a_form_without_values(service):
    request = form(service, "Content-Length: 50") + b"email=ann%40example.com"
    with connect(service) as client:
        client.sendall(request)
        client.shutdown(socket.SHUT_WR)
        assert status(client) == 400
    with connect(service) as client:
        client.sendall(request)
        assert status(client) == 408


def test_a_page_that_takes_no_form_as_long_takes_no_body(service):
    with connect(service) as client:
        client.sendall(form(service, "Content-Length: 1048577", "Expect: 100-continue"))
        assert status(client) == 413
    with connect(service) as client:
        lines = b"Host: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n"
        client.sendall(b"GET /healthz HTTP/1.1\r\n" + lines)
        assert status(client) == 200


def test_a_file_for_the_console_is_asked_for_only_from_who_may_send_it(service):
    host, site_uuid = f"127.0.0.1:{service.port}", service.first["site_uuid"]
    lines = [
        f"POST /console/sites/{site_uuid}/imports/new HTTP/1.1", f"Host: {host}", f"Origin: http://{host}",
        "Content-Type: multipart/form-data; boundary=x", "Content-Length: 2000", "Expect: 100-continue",
    ]  # fmt: skip
    with connect(service) as client:
        client.sendall("\r\n".join([*lines, "", ""]).encode())
        assert status(client) == 303


def imports_before(service):
    """Those of the recorded heads: one batch."""
    return [
        row for row in service.call("GET", "/batch/imports")[1]["data"] if row["attributes"]["total"] == 1
    ]


def test_an_interrupted_upload_is_a_400_and_leaves_nothing(service):
    lines = ["Content-Type: text/csv", "Content-Length: 100"]
    with connect(service) as client:
        client.sendall(head(service, "POST", "/batch/imports", *lines) + b"email\nann@example.com\n")
        client.shutdown(socket.SHUT_WR)
        assert answer(client)[0] == 400
    assert service.call("GET", "/batch/imports")[1]["data"] == imports_before(service)


def test_a_stop_answers_what_is_under_way(tmp_path):
    """Four clients create subscribers when the service is told to stop: each answer is a 201, and true."""
    with serving(tmp_path, AUDIENCE_WEB_WORKERS="2") as service:
        answers = {}

        def create(client):
            for number in itertools.count():
                email = f"p{number}@{client}.example.com"
                person = {"subscriber": {"email": email}}
                try:
                    answers[email] = service.call("POST", "/fetch/subscribers", person)[0]
                except OSError:
                    return

        callers = [threading.Thread(target=create, args=(client,)) for client in "abcd"]
        for caller in callers:
            caller.start()
        until(lambda: len(answers) >= 20)
        service.process.send_signal(signal.SIGTERM)
        for caller in callers:
            caller.join()
        assert set(answers.values()) == {201}
        assert service.process.wait(PATIENCE_SECONDS) == 0
    with closing(apsw.Connection(str(tmp_path / "audience.db"))) as stored:
        assert set(answers) <= {email for (email,) in stored.execute("SELECT email FROM subscribers")}
