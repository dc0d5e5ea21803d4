"""One POST to a receiver, good, slow or lying."""

import itertools
import socket
import threading
from datetime import UTC, datetime
from importlib.metadata import version
from urllib.parse import urlsplit

import pytest

from audience import clock
from audience.deliveries import client
from audience.deliveries.addresses import NOT_PUBLIC
from audience.deliveries.client import DeliveryResult, post
from tests.deliveries.receivers import OK, receiver, says
from tests.receiver import receiving
from tests.rows import each_row

BODY = '{"name": "Zoë"}'.encode()
LONG = 60.0


def send(url: str, seconds: float = LONG, **more) -> DeliveryResult:
    return post(
        url, more.pop("body", BODY), more.pop("headers", {}), private_addresses=True, seconds=seconds, **more
    )


def drips(first: bytes, then: bytes):
    """Sends a byte now and then for ever; without a deadline, so would the test last."""

    def answer(connection: socket.socket, _: bytes) -> None:
        connection.sendall(first)
        pause = threading.Event()
        for byte in itertools.cycle(then):
            connection.sendall(bytes([byte]))
            pause.wait(0.01)

    return answer


def test_the_request_is_what_was_said():
    with receiver(says(OK)) as server:
        delivered = send(server.url("/a?b=c"), headers={"webhook-id": "1.2"})
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /a?b=c HTTP/1.1"
    assert {
        f"Host: localhost:{server.port}", "Content-Type: application/json", f"Content-Length: {len(BODY)}",
        f"User-Agent: Audience/{version('audience')}", "Connection: close", "webhook-id: 1.2",
    } <= set(lines)  # fmt: skip
    assert body == BODY
    assert (delivered.status, delivered.beginning, delivered.failure) == (200, "fine", None)
    assert delivered.milliseconds >= 0


def test_an_address_that_ends_in_one_of_four_is_reached():
    with receiving() as mapped:
        url = mapped.url.replace("127.0.0.1", "[::ffff:127.0.0.1]")
        delivered = send(url)
    assert (delivered.status, delivered.failure) == (200, None)
    assert mapped.received[0].headers["host"] == urlsplit(url).netloc


@pytest.mark.parametrize("status", [201, 204, 302, 400, 410, 500])
def test_every_status_is_told_and_no_redirect_followed(status):
    with receiver(says(OK)) as elsewhere:
        answer = f"HTTP/1.1 {status} No\r\nLocation: {elsewhere.url()}\r\nContent-Length: 0\r\n\r\n"
        with receiver(says(answer.encode())) as server:
            delivered = send(server.url())
    assert (delivered.status, delivered.failure) == (status, None)
    assert (server.connections, elsewhere.connections) == (1, 0)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\n\r\nfine",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n",  # broke off
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfine",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nfine",
        b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 500 + b"HTTP/1.1 100 Continue\r\n\r\n" + OK,
    ],
)
def test_an_answer_may_end_in_any_way(answer):
    with receiver(says(answer)) as server:
        assert send(server.url()).beginning == "fine"


def test_of_a_huge_answer_the_beginning_is_kept():
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b"a" * 0x10000 + b"\r\n"
    written = []

    def answer(connection: socket.socket, _: bytes) -> None:
        connection.sendall(head)
        while True:  # until the client breaks off
            written.append(len(chunk))
            connection.sendall(chunk)

    with receiver(answer) as server:
        delivered = send(server.url())
    assert (delivered.status, delivered.beginning, delivered.failure) == (200, "a" * 1024, None)
    assert sum(written) < 100_000_000


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"A: b\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"", b"HTTP/1.1 103 \r\n\r\n"),
    ],
)
def test_a_head_without_an_end_is_no_answer(first, then):
    def answer(connection: socket.socket, _: bytes) -> None:
        connection.sendall(first)
        while True:  # until the client breaks off
            connection.sendall(then * 1000)

    with receiver(answer) as server:
        delivered = send(server.url())
    assert (delivered.status, delivered.failure) == (None, client.NOT_HTTP)


@pytest.mark.parametrize(
    "text", [b"\xff\xfe", b"a\x00b", b"\x1b[31mred", "\u202e".encode(), "\ud7ff".encode(), "é".encode() * 600]
)
def test_what_is_kept_is_printable(text):
    with receiver(says(b"HTTP/1.1 200 OK\r\n\r\n" + text)) as server:
        kept = send(server.url()).beginning
    assert kept
    assert kept.isprintable()
    assert len(kept) <= 1024


@pytest.mark.parametrize(
    ("first", "then"),
    [(b"", b"H"), (b"HTTP/1.1 200 OK\r\n", b"A: b\r\n")],  # a line, and a head, without an end
)
def test_a_receiver_that_drips_does_not_outlive_the_deadline(first, then):
    with receiver(drips(first, then)) as server:
        delivered = send(server.url(), seconds=0.3)
    assert (delivered.status, delivered.failure) == (None, client.NO_ANSWER)


@pytest.mark.parametrize("status", [200, 500])
@each_row(
    ("head", "then"),
    [
        (b"Content-Length: 60000", b"a"),
        (b"Transfer-Encoding: chunked", b"1\r\na\r\n"),
        (b"Transfer-Encoding: chunked", b"no number\r\n"),
        (b"A: b", b"a"),
    ],
)
def test_a_receiver_is_judged_by_its_status_however_its_body_comes(head, then, status):
    first = b"HTTP/1.1 %d Such\r\n%s\r\n\r\n" % (status, head)
    with receiver(drips(first, then)) as server:
        delivered = send(server.url(), seconds=0.3)
    assert (delivered.status, delivered.failure) == (status, None)


def test_a_body_that_drips_is_not_waited_for_as_long_as_an_answer(monkeypatch):
    monkeypatch.setattr(client, "BODY_SECONDS", 0.2)
    with receiver(drips(b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n", b"a")) as server:
        delivered = send(server.url(), seconds=LONG)
    assert (delivered.status, delivered.failure) == (200, None)
    assert set(delivered.beginning) == {"a"}


@pytest.mark.parametrize(
    ("status", "said", "seconds"),
    [
        (429, "120", 120), (503, " 7 ", 7), (503, "999999999999", 3600), (429, "0", 0), (429, "-5", 0),
        (429, "1.5", 0), (429, "soon", 0), (429, "", 0), (429, "9" * 5000, 3600), (429, "\xb2", 0),
        (500, "120", 0), (200, "120", 0), (429, "0060", 60),
        (503, "Wed, 21 Oct 2026 07:28:30 GMT", 30), (503, "Wed, 21 Oct 2026 07:27:30 GMT", 0),
        (503, "Thu, 22 Oct 2026 07:28:00 GMT", 3600), (503, "Wed, 99 Oct 2026 07:28:30 GMT", 0),
    ],
)  # fmt: skip
def test_a_receiver_may_say_when_to_come_again(monkeypatch, status, said, seconds):
    at = int(datetime(2026, 10, 21, 7, 28, tzinfo=UTC).timestamp() * 1000)
    monkeypatch.setattr(clock, "now_ms", lambda: at)
    answer = f"HTTP/1.1 {status} Such\r\nRetry-After: {said}\r\nContent-Length: 0\r\n\r\n"
    with receiver(says(answer.encode("latin-1"))) as server:
        delivered = send(server.url())
    assert (delivered.status, delivered.retry_after) == (status, seconds)


def test_a_receiver_that_does_not_read_does_not_outlive_the_deadline():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://localhost:{silent.getsockname()[1]}/"
        delivered = send(url, seconds=0.3, body=b"a" * 50_000_000)
    assert (delivered.status, delivered.failure) == (None, client.NO_ANSWER)


def test_a_receiver_may_answer_before_it_has_read_the_body():
    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 413 Too large\r\nContent-Length: 0\r\n\r\n")
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        delivered = send(f"http://localhost:{listener.getsockname()[1]}/", body=b"a" * 5_000_000)
        thread.join()
    assert (delivered.status, delivered.failure) == (413, None)


@pytest.mark.parametrize(
    "answer", [b"", b"220 smtp.example\r\n", b"\x15\x03\x01\x00\x02", b"HTTP/1.1 abc\r\n\r\n"]
)
def test_what_does_not_speak_http_is_told(answer):
    with receiver(says(answer)) as server:
        assert send(server.url()).failure in {client.NOT_HTTP, client.NO_CONNECTION}


def test_a_closed_port_is_told():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    assert send(url).failure == client.NO_CONNECTION


def test_a_name_that_is_not_found_is_told():
    assert send("http://nowhere.invalid/").failure == client.NO_NAME


def test_proxies_of_the_environment_are_not_used(monkeypatch):
    with receiver(says(OK)) as proxy, receiver(says(OK)) as server:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url(""))
        assert send(server.url()).status == 200
    assert (server.connections, proxy.connections) == (1, 0)


def test_a_name_that_changes_its_address_is_looked_up_once():
    asked = []

    def rebinds(host: str, seconds: float) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.2"]

    with receiver(says(OK)) as server:
        delivered = send(server.url(host="rebinds.example"), look_up=rebinds)
    assert (delivered.status, asked) == (200, ["rebinds.example"])
    assert f"Host: rebinds.example:{server.port}".encode() in server.requests[0]


def test_nothing_is_sent_to_a_name_with_one_private_address():
    with receiver(says(OK), host="127.0.0.1") as server:
        url = server.url(scheme="https", host="hooks.example")
        delivered = post(url, BODY, {}, private_addresses=False, look_up=lambda *_: ["8.8.8.8", "127.0.0.1"])
    assert (delivered.status, delivered.failure, server.connections) == (None, NOT_PUBLIC, 0)


def test_the_next_address_is_tried():
    with receiver(says(OK), host="127.0.0.2") as server:
        url = server.url(host="hooks.example")
        assert send(url, look_up=lambda *_: ["127.0.0.3", "127.0.0.2"]).status == 200


def test_no_sentence_tells_an_address_or_a_name():
    with receiver(says(b"")) as server:
        told = [
            send(server.url()).failure,
            send("http://nowhere.invalid/").failure,
            post("https://127.0.0.1/", BODY, {}, private_addresses=False).failure,
        ]
    assert all(told)
    assert not any(secret in str(sentence) for sentence in told for secret in ("127", "nowhere", "localhost"))
