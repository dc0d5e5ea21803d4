"""`serve`: all processes start, those that die restart, and none is left running."""

import http.server
import os
import signal
import socket
import stat
import threading

import pytest
from redis.exceptions import RedisError

from tests.service import PATIENCE_SECONDS, until
from tests.workers.conftest import alive, descendants, keep
from tests.workers.test_worker import wait_for
from workers import embedded_redis, heartbeat, supervisor
from workers.redis_client import connect


@pytest.fixture
def serve(run):
    def start(**environ):
        program = run("serve", **environ)
        until(lambda: "ready" in program.output())
        return program

    return start


def processes(program, kind):
    """Process ids of the web server (without its worker processes), the import workers or Redis."""
    mine = descendants(program.pid)
    below = {pid for child in mine for pid in descendants(child)}
    word = {"web": "fake_worker.py web", "worker": "fake_worker.py worker", "redis": "redis.sock"}[kind]
    return [pid for pid, args in mine.items() if word in args and pid not in below]


def all_gone(pids):
    return lambda: not any(alive(pid) for pid in pids)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_serve_starts_everything_and_leaves_nothing(serve, settings, number):
    program = serve()
    assert program.output() == f"ready {settings.base_url}\n"
    assert [len(processes(program, kind)) for kind in ("web", "worker", "redis")] == [1, 1, 1]
    wait_for(settings, "1-a")
    below = descendants(program.pid)
    assert program.end(number) == 0
    assert all_gone(below)()
    assert program.output().count("ready") == 1


@pytest.fixture
def in_the_background():
    """What is started ignores SIGINT and SIGHUP, as behind a shell's `&` or nohup."""
    previous = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGHUP)}
    yield
    for number, handler in previous.items():
        signal.signal(number, handler)


def test_serve_in_the_background_ends_with_everything_below_it(in_the_background, serve, settings):
    program = serve()
    below = descendants(program.pid)
    assert len(below) >= 4
    assert program.end(signal.SIGTERM) == 0
    assert all_gone(below)()


def test_web_stops_first_and_redis_last(serve, settings):
    program = serve()
    (web,), (worker,), (redis,) = (processes(program, kind) for kind in ("web", "worker", "redis"))
    (settings.instance / "inbox" / "1-slow").touch()
    until(lambda: heartbeat.age(settings.instance) is not None)
    program.process.send_signal(signal.SIGTERM)
    seen = set()
    while (
        program.process.poll() is None
    ):  # the last to stop is looked at first, so no process is seen later than it should be
        seen.add(tuple(alive(pid) for pid in (redis, worker, web)))
    assert seen <= {(True, True, True), (True, True, False), (True, False, False), (False, False, False)}


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (404, False), (500, False)])
def test_only_status_200_of_healthz_is_healthy(status, healthy):
    paths = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            paths.append(self.path)
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        assert supervisor.is_healthy(*server.server_address) is healthy
        thread.join()
    assert paths == ["/healthz"]


def test_server_of_another_protocol_is_not_healthy():
    def greet():
        with server.accept()[0] as client:
            client.sendall(b"220 mail\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=greet)
        thread.start()
        assert not supervisor.is_healthy(*server.getsockname())
        thread.join()


def test_second_serve_is_refused(serve, run, settings):
    serve()
    second = run("serve", PORT=1)
    assert second.process.wait(PATIENCE_SECONDS) == 1
    assert "refused: another serve is running on" in second.output()


def test_taken_port_is_reported(run, settings, monkeypatch):
    with socket.create_server((settings.host, settings.port)):
        program = run("serve")
        assert program.process.wait(PATIENCE_SECONDS) == 1
    assert f"refused: cannot listen on 127.0.0.1 port {settings.port}" in program.output()
    assert "AUDIENCE_PORT" in program.output()


@pytest.mark.parametrize("host", ["no-such-host.invalid", "192.0.2.1"])
def test_a_host_that_is_no_address_of_this_machine_is_reported_at_once(run, host):
    program = run("serve", HOST=host)
    assert program.process.wait(PATIENCE_SECONDS) == 1
    assert f"refused: cannot listen on {host}" in program.output()
    assert "set AUDIENCE_HOST to an IP address of this machine" in program.output()
    assert "AUDIENCE_PORT" not in program.output()


@pytest.mark.parametrize("kind", ["web", "worker", "redis"])
def test_dead_process_restarts(serve, settings, kind):
    program = serve()
    (before,) = until(lambda: processes(program, kind))
    os.kill(before, signal.SIGKILL)
    until(lambda: not alive(before) and processes(program, kind))
    assert f"{kind} exited (signal SIGKILL)" in program.output()
    wait_for(settings, "1-after")
    until(lambda: answers(settings))
    with connect(embedded_redis.url(settings)) as client:
        until(lambda: pings(client))


def test_a_redis_that_cannot_read_its_folder_gets_a_new_one(run, settings):
    damaged = settings.instance / "redis" / "appendonlydir"
    damaged.mkdir(parents=True)
    (damaged / "appendonly.aof.manifest").write_text("no manifest\n")
    program = run("serve")
    [aside] = until(lambda: list(settings.instance.glob("redis.*.old")))
    until(lambda: "ready" in program.output())
    with connect(embedded_redis.url(settings)) as client:
        until(lambda: pings(client))
    assert (aside / "appendonlydir" / "appendonly.aof.manifest").read_text() == "no manifest\n"
    assert program.output().count("starts with an empty folder") == 1
    assert aside.name in program.output()
    for file in damaged.iterdir():
        file.write_text("no manifest\n")
    (process,) = processes(program, "redis")
    os.kill(process, signal.SIGKILL)
    until(lambda: len(list(settings.instance.glob("redis.*.old"))) == 2)


def answers(settings):
    try:
        with socket.create_connection((settings.host, settings.port), timeout=5) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            return client.recv(100).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def pings(client):
    try:
        return client.ping()
    except RedisError:
        return False


def test_process_that_keeps_dying_restarts_more_and_more_slowly(run, settings):
    program = run("serve", REDIS_URL="redis://localhost?db=nonsense")
    until(lambda: program.output().count("worker exited") >= 3)
    waits = [line.split()[-2] for line in program.output().splitlines() if "worker exited" in line]
    assert waits[:3] == ["0.2", "0.4", "0.8"]
    assert program.end() == 0


def test_killed_serve_leaves_no_process_and_the_next_one_starts(serve, settings):
    program = serve()
    below = descendants(program.pid)
    assert len(below) >= 4
    with connect(embedded_redis.url(settings)) as client:
        keep(client)
    program.process.kill()
    program.process.wait(PATIENCE_SECONDS)
    again = serve()
    until(all_gone(below))
    with connect(embedded_redis.url(settings)) as client:
        assert client.get("kept") == b"yes"
    assert again.end() == 0


def test_configured_redis_is_neither_started_nor_stopped(serve, settings, server, tmp_path):
    url = embedded_redis.url(settings)
    program = serve(REDIS_URL=url)
    assert processes(program, "redis") == []
    assert program.end() == 0
    assert server.answers()


def test_lock_is_private(serve, settings):
    serve()
    assert stat.S_IMODE((settings.instance / "serve.lock").stat().st_mode) == 0o600
