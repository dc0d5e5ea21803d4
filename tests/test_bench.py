"""What the benches measure with: a request that fails is no quick one."""

import re
import socket
import threading
from functools import partial

import pytest

from bench import house, load, waits

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


def test_the_benches_stay_small():
    assert house.lines(house.benches()) <= 1_500


def test_circles_are_found():
    arrows = {"one": {"two"}, "two": {"three", "four"}, "three": {"one"}, "four": set(), "five": {"five"}}
    assert house.circles(arrows) == ["five", "one three two"]


def test_the_house_is_measured(capsys):
    house.main()
    printed = capsys.readouterr().out
    assert "circles                               none" in printed
    assert not re.search(r"  0\b", printed)
