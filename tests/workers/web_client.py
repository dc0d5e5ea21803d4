"""Raw requests to a web server, and what it answers."""

import socket

import pytest

from tests.service import PATIENCE_SECONDS


def connect(settings):
    return socket.create_connection((settings.host, settings.port), timeout=PATIENCE_SECONDS)


def answer(settings, request, then=b"", half_close=False):
    """`(status, head, body)` of the first response to raw bytes; None while no server is listening."""
    try:
        client = connect(settings)
    except ConnectionRefusedError:
        return None
    with client:
        client.sendall(request)
        if then:
            client.sendall(then)
        if half_close:
            client.shutdown(socket.SHUT_WR)
        return read_answer(client, request.startswith(b"HEAD"))


def read_answer(client, head_only=False):
    received = b""
    while b"\r\n\r\n" not in received:
        received += client.recv(65536) or pytest.fail(f"no answer: {received!r}")
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
    while len(body) < length and not head_only:
        body += client.recv(65536) or pytest.fail("the response ended early")
    return int(head.split()[1]), head, body
