"""Receivers behind TLS: whose certificate is good, and under which name."""

import socket
import ssl
import threading

import pytest
import trustme

from audience.deliveries import client
from audience.deliveries.client import DeliveryResult, post
from tests.deliveries.receivers import OK, receiver, says

NAME = "hooks.example"


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture(autouse=True)
def trusted(authority, tmp_path, monkeypatch):
    """This machine trusts the authority."""
    file = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(file))
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    client._trust.cache_clear()
    yield
    client._trust.cache_clear()


def certified(authority: trustme.CA, *names: str, **more) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, **more).configure_cert(context)
    return context


def send(url: str, seconds: float = 60.0) -> DeliveryResult:
    return post(url, b"{}", {}, private_addresses=True, seconds=seconds, look_up=lambda *_: ["127.0.0.1"])


def test_a_certificate_for_the_name_is_good(authority):
    with receiver(says(OK), context=certified(authority, NAME)) as server:
        delivered = send(server.url(scheme="https", host=NAME))
    assert (delivered.status, delivered.beginning, delivered.failure) == (200, "fine", None)
    assert f"Host: {NAME}:{server.port}".encode() in server.requests[0]


def test_the_name_is_what_the_receiver_is_asked_for(authority):
    asked = []
    context = certified(authority, NAME)
    context.set_servername_callback(lambda _, name, __: asked.append(name))
    with receiver(says(OK), context=context) as server:
        send(server.url(scheme="https", host=NAME))
    assert asked == [NAME]


@pytest.mark.parametrize("names", [["other.example"], ["127.0.0.1"], [f"deep.{NAME}"], ["*.example.com"]])
def test_a_certificate_for_another_name_is_not(authority, names):
    with receiver(says(OK), context=certified(authority, *names)) as server:
        delivered = send(server.url(scheme="https", host=NAME))
    assert (delivered.status, delivered.failure, server.requests) == (None, client.NOT_TRUSTED, [])


def test_a_certificate_of_an_unknown_authority_is_not():
    with receiver(says(OK), context=certified(trustme.CA(), NAME)) as server:
        delivered = send(server.url(scheme="https", host=NAME))
    assert (delivered.failure, server.requests) == (client.NOT_TRUSTED, [])


def test_a_receiver_without_encryption_is_told():
    plain = says(b"HTTP/1.1 400 Bad request\r\n\r\n")
    with receiver(plain, read=lambda connection: connection.recv(1)) as server:
        assert send(server.url(scheme="https", host=NAME)).failure == client.NO_TLS


def test_a_handshake_that_hangs_does_not_outlive_the_deadline():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        delivered = send(f"https://{NAME}:{silent.getsockname()[1]}/", seconds=0.3)
    assert (delivered.status, delivered.failure) == (None, client.NO_ANSWER)


def test_an_encrypted_answer_that_drips_does_not_outlive_the_deadline(authority):
    def answer(connection: socket.socket, _: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n")
        while True:
            connection.sendall(b"a")
            threading.Event().wait(0.01)

    with receiver(answer, context=certified(authority, NAME)) as server:
        delivered = send(server.url(scheme="https", host=NAME), seconds=0.5)
    assert (delivered.status, delivered.failure) == (200, None)


def test_of_a_huge_encrypted_answer_the_beginning_is_kept(authority):
    def answer(connection: socket.socket, _: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:  # until the client breaks off
            connection.sendall(b"a" * 65536)

    with receiver(answer, context=certified(authority, NAME)) as server:
        delivered = send(server.url(scheme="https", host=NAME))
    assert (delivered.status, delivered.beginning, delivered.failure) == (200, "a" * 1024, None)
