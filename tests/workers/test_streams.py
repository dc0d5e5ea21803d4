"""Responses that are longer than what is sent at once: sent whole, in pieces, or visibly broken off."""

import contextlib
import http.client
import json
import socket

import pytest

from tests.service import PATIENCE_SECONDS, until
from tests.workers.web_client import answer, connect


def test_large_response_arrives_complete(web, settings):
    web()
    status, head, body = answer(settings, b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (status, body) == (200, b"x" * 5_000_000)
    assert head.lower().count(b"content-length") == 1


def read_stream(settings, path):
    """`(status, body)` of a complete response."""
    connection = http.client.HTTPConnection(settings.host, settings.port, timeout=PATIENCE_SECONDS)
    with contextlib.closing(connection):
        connection.request("GET", path)
        response = connection.getresponse()
        assert response.getheader("Transfer-Encoding") == "chunked"
        return response.status, response.read()


def test_response_without_a_length_is_streamed(web, settings):
    web()
    assert read_stream(settings, "/endless") == (200, b"x" * 20_000_000)


GET_ENDLESS = b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n"


def test_client_that_stops_reading_blocks_the_stream_and_then_loses_the_connection(web, settings):
    program = web()
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**16)
        client.connect((settings.host, settings.port))
        client.sendall(GET_ENDLESS)
        assert client.recv(12) == b"HTTP/1.1 200"
        until(lambda: "TimeoutError" in program.output())
        assert int((settings.instance / "made").read_text()) < 199
    assert read_stream(settings, "/endless")[0] == 200


def test_client_that_does_not_read_a_whole_response_loses_the_connection(web, settings):
    program = web()
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**16)
        client.connect((settings.host, settings.port))
        client.sendall(b"GET /larger HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(12) == b"HTTP/1.1 200"
        until(lambda: "TimeoutError" in program.output())
        with contextlib.suppress(ConnectionResetError), client.makefile("rb") as rest:
            assert len(rest.read()) < 20_000_000
    assert answer(settings, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")[0] == 200


def test_response_without_a_length_is_no_answer_to_http_1_0(web, settings):
    web()
    status, _, body = answer(settings, b"GET /endless HTTP/1.0\r\n\r\n")
    assert (status, json.loads(body).keys()) == (505, {"error"})
    assert answer(settings, b"GET /large HTTP/1.0\r\n\r\n")[::2] == (200, b"x" * 5_000_000)
    assert answer(settings, b"GET /unsized HTTP/1.0\r\n\r\n")[::2] == (200, b"hello")


def test_slow_clients_do_not_delay_others(web, settings):
    web(BODY_TIMEOUT=20)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            slow = stack.enter_context(connect(settings))
            slow.sendall(GET_ENDLESS)
            assert slow.recv(12) == b"HTTP/1.1 200"
        assert read_stream(settings, "/endless")[0] == 200


def test_disconnecting_client_ends_the_stream(web, settings):
    program = web()
    with connect(settings) as client:
        client.sendall(GET_ENDLESS)
        assert client.recv(12) == b"HTTP/1.1 200"
    until(lambda: "BrokenPipeError" in program.output())
    assert int((settings.instance / "made").read_text()) < 199


def test_failed_response_never_looks_complete(web, settings):
    web()
    with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
        read_stream(settings, "/broken")
    assert read_stream(settings, "/endless")[0] == 200


@pytest.mark.parametrize("request_bytes", [GET_ENDLESS, b"GET /broken HTTP/1.1\r\nHost: x\r\n\r\n"])
def test_whoever_makes_a_stream_is_told_when_no_more_is_needed(web, settings, request_bytes):
    web()
    with connect(settings) as client:
        client.sendall(request_bytes)
        assert client.recv(12) == b"HTTP/1.1 200"
    until((settings.instance / "closed").exists)
