"""What the benches measure with: a request that fails is no quick one."""

import socket
import threading
from functools import partial

import pytest

from bench import load, profiles, waits

BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def busy():
    """The port of a server that answers every request with 503, and an event that says that it has."""
    answered = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer, args=(server, answered), daemon=True).start()
        yield server.getsockname()[1], answered


def answer(server, answered):
    try:
        while True:
            connection, _ = server.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(BUSY)
            answered.set()
    except OSError:  # the server is closed
        return


def test_a_request_that_fails_fails_those_sent_together(busy):
    port, _ = busy
    with pytest.raises(RuntimeError, match="503"):
        load.together([partial(load.send, port, [b"GET / HTTP/1.1\r\n\r\n"], [])] * 2)


def test_a_client_whose_request_fails_is_not_left_out(busy):
    port, answered = busy
    clients = waits.Clients(port)
    clients.add("find", lambda: b"GET / HTTP/1.1\r\n\r\n", 2)
    with pytest.raises(RuntimeError, match="503"):
        clients.run(answered.wait)


@pytest.mark.usefixtures("app")
def test_a_find_is_profiled(settings, monkeypatch):
    monkeypatch.setattr(profiles, "REQUESTS", 2)
    assert len(profiles.of_find(settings)) == profiles.FIRST
