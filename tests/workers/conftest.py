"""Real processes in an instance of their own, which end with the test."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from redis.exceptions import RedisError

from audience.config import Settings
from tests.service import PATIENCE_SECONDS, free_port, until
from tests.workers.web_client import answer
from workers import embedded_redis
from workers.redis_client import connect

FAKE_WORKER = Path(__file__).with_name("fake_worker.py")


def alive(pid):
    """Whether the process is running; a zombie is not."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True
    ).stdout.strip()
    return bool(state) and not state.startswith("Z")


def descendants(pid):
    """`{pid: command line}` of the processes below `pid`."""
    listing = subprocess.run(["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True).stdout
    rows = [(int(a), int(b), args) for a, b, args in (line.split(None, 2) for line in listing.splitlines())]
    below, parents = {}, [pid]
    while parents:
        parent = parents.pop()
        for child, its_parent, args in rows:
            if its_parent == parent:
                below[child] = args
                parents.append(child)
    return below


def environ_of(values):
    """The environment of a program: these settings, and TMPDIR as it is."""
    return {name if name == "TMPDIR" else f"AUDIENCE_{name}": str(value) for name, value in values.items()}


class Program:
    """A process that runs a command of the fake program, with its output in `log`."""

    def __init__(self, settings, command, **environ):
        self.log = settings.instance / f"{command}.log"
        values = {"INSTANCE": settings.instance, "HOST": settings.host, "PORT": settings.port, **environ}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(FAKE_WORKER), command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | environ_of(values),
                start_new_session=True,
            )
        self.pid = self.process.pid

    def output(self):
        return self.log.read_text()

    def end(self, number=signal.SIGTERM):
        """Sends a signal and returns the exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_SECONDS)


@pytest.fixture
def settings(tmp_path):
    instance = tmp_path / "instance"
    (instance / "inbox").mkdir(parents=True)
    return Settings(instance=instance, port=free_port())


@pytest.fixture
def run(settings):
    """Starts the fake program: `run("worker", REDIS_URL=...)`. Kills what is left of it after the test."""
    programs = []

    def start(command, **environ):
        programs.append(Program(settings, command, **environ))
        return programs[-1]

    yield start
    for program in programs:
        for pid in [program.pid, *descendants(program.pid)]:
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
        program.process.wait(PATIENCE_SECONDS)


@pytest.fixture
def web(run, settings):
    """Starts the fake program's web server with the given settings, and waits until it answers."""

    def start(**environ):
        program = run("web", **{"WEB_WORKERS": 1, "WEB_THREADS": 8, "BODY_TIMEOUT": 1} | environ)
        until(lambda: answer(settings, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
        return program

    return start


def keep(client):
    """Sets a key and waits until it is on disk."""
    client.set("kept", "yes")
    until(lambda: client.execute_command("WAITAOF", 1, 0, 100)[0] == 1)


class RedisServer:
    """An embedded Redis that a test can stop and restart."""

    def __init__(self, settings):
        self.settings = settings
        self.process = None

    def start(self):
        self.process = subprocess.Popen(embedded_redis.command(self.settings), stdout=subprocess.DEVNULL)
        until(self.answers)

    def answers(self):
        with connect(embedded_redis.url(self.settings)) as client:
            try:
                return client.ping()
            except RedisError:
                return False

    def end(self, number=signal.SIGTERM):
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_SECONDS)


@pytest.fixture
def server(settings):
    server = RedisServer(settings)
    server.start()
    yield server
    server.end(signal.SIGKILL)


@pytest.fixture
def client(server, settings):
    with connect(embedded_redis.url(settings), PATIENCE_SECONDS) as client:
        yield client
