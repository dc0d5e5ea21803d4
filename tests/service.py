"""`audience serve` as a separate process with its own instance folder."""

import base64
import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from audience.answers.geolocation.packed_table import DATA, FILE, Tables
from audience.answers.geolocation.table import open_table

PATIENCE_SECONDS = 120.0  # more than the slowest machine needs: a test of what is right never waits as long
PORTS = range(10_000, 32_000)  # below those that systems give to clients and to servers that name none
_numbers = itertools.count(os.getpid() * 997)  # a thousand of them apart from the next process of tests


def free_port() -> int:
    """A free port, which no other test gets meanwhile."""
    for number in _numbers:
        port = PORTS[number % len(PORTS)]
        with (
            contextlib.suppress(OSError),
            socket.socket() as streams,
            socket.socket(type=socket.SOCK_DGRAM) as datagrams,
        ):
            streams.bind(("127.0.0.1", port))
            datagrams.bind(("127.0.0.1", port))
            return port
    raise AssertionError("a counter ended")


def until(condition: Callable[[], Any], seconds: float = PATIENCE_SECONDS) -> Any:
    """Waits until `condition()` is true and returns it; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < deadline, f"not true within {seconds} s: {condition}"
        time.sleep(0.02)
    return result


@dataclass
class Service:
    """A running service, and the keys of its first site."""

    process: subprocess.Popen[str]
    instance: Path
    port: int
    first: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)

    def call(
        self, method: str, path: str, body: Any = None, timeout: float = PATIENCE_SECONDS
    ) -> tuple[int, Any]:
        """`(status, JSON)` of an API call with the keys of the first site."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/v1{path}", method=method)
        key = f"{self.first['publishable_key']}:{self.first['secret_key']}"
        request.add_header("Authorization", "Basic " + base64.b64encode(key.encode()).decode())
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:  # noqa: S310 - our own address
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def processes(self, part: str) -> list[int]:
        """Pids of `serve` and the processes below it whose command line contains `part`."""
        listed = subprocess.run(
            ["ps", "-wweo", "pid,ppid,args"], capture_output=True, text=True, check=True
        ).stdout
        rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
        family = {self.process.pid}
        for pid, parent, _ in rows * 3:
            if int(parent) in family:
                family.add(int(pid))
        return [int(pid) for pid, _, command in rows if int(pid) in family and part in command]

    def kill(self, part: str) -> None:
        """Kills a process with SIGKILL and waits until the supervisor has started another."""
        [victim] = self.processes(part)
        os.kill(victim, signal.SIGKILL)
        until(lambda: self.processes(part) not in ([], [victim]))


def packed_places() -> Path:
    """The bundled geolocation table, packed once for all test processes that share a TMPDIR."""
    folder = Path(tempfile.gettempdir()) / f"audience-geo-{os.getuid()}-{Tables(DATA).version().hex()[:16]}"
    open_table(folder)
    return folder / FILE


def give_places(instance: Path) -> None:
    """Links the packed table into the instance, if possible: this spares the service seconds of packing."""
    with contextlib.suppress(OSError):
        os.link(packed_places(), instance / FILE)


def environment(instance: Path, port: int, **settings: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("AUDIENCE_")}
    return clean | {"AUDIENCE_INSTANCE": str(instance), "AUDIENCE_PORT": str(port)} | settings


def hear_ctrl_c() -> None:
    """Runs in a process before its program: Ctrl-C then reaches the program, even if the tests ignore it
    (`&`).
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "app", *arguments]


@contextlib.contextmanager
def serving(
    instance: Path, log: IO[str] | None = None, words: Sequence[str] = ("serve",), **settings: str
) -> Iterator[Service]:
    instance.mkdir(exist_ok=True)
    port = free_port()
    give_places(instance)
    process = subprocess.Popen(
        command(*words),
        env=environment(instance, port, **{"AUDIENCE_WEB_WORKERS": "1"} | settings),
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        start_new_session=True,
    )
    with attended(process, instance, port) as service:
        service.settings = settings
        yield service


@contextlib.contextmanager
def attended(process: subprocess.Popen[str], instance: Path, port: int) -> Iterator[Service]:
    """Waits until a newly started `serve` answers; stops it at the end."""
    service = Service(process, instance, port)
    try:
        until(lambda: port_answers(port) or process.poll() is not None)
        first = instance / "first-site.json"
        service.first = json.loads(first.read_text()) if first.exists() else {}
        yield service
    finally:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE_SECONDS)
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def port_answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1)
    except urllib.error.HTTPError as error:
        error.close()
        return True
    except OSError:
        return False
    return True
