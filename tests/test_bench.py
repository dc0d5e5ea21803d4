"""What the benches measure with: a request that fails is no quick one."""

import socket
import threading
from functools import partial

import pytest

from bench import load, performance, performance_page, profiles, waits
from bench.rows import Row

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


def test_one_bench_measured_again_leaves_the_rest_of_the_page():
    text, facts = performance.PAGE.read_text(), {"Date": "2030-01-02", "Commit": "abc", "Load before": "0.1"}
    row = Row(what="find over HTTP, PostgreSQL beside SQLite", ours=1, unit="MB", of_limit=0.5, at_least=0.7)
    found = performance_page.Found(rows={"engines": [row]})
    anew = performance_page.anew(text, facts, found)
    assert "| 1.00 MB |  | 0.50 |  | at least 0.70 |" in anew
    assert anew.count(f"- **{row.what}**: 0.50, goal at least 0.70") == anew.count(f"- **{row.what}**") == 1
    of_text, of_anew = (performance_page.SECTIONS.split(each) for each in (text, anew))
    changed = [before[:15] for before, after in zip(of_text, of_anew, strict=True) if before != after]
    assert changed == ["## On PostgreSQ", "## Goals that w"]
    assert performance_page.anew(anew, facts, found) == anew
