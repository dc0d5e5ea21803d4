"""Runs Redis, the web server and the import workers, and starts again what dies."""

import fcntl
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from audience.config import Settings
from workers import embedded_redis
from workers.child import Child

LOOK = 0.05
PORT_FREE_WITHIN = 3.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STOP_WITHIN = {"web": 8.0, "worker": 8.0, "redis": 5.0}  # in this order


class CannotServe(Exception):
    """`serve` cannot start; the message says why and what to do."""


def serve(settings: Settings, argv_prefix: Sequence[str], ready: Callable[[str], None]) -> None:
    """Runs everything until SIGINT, SIGTERM or SIGHUP, then stops it in order.

    `argv_prefix` is the command line that `web` and `worker` complete. `ready` is called once with the base
    URL, when the web server answers. Raises `CannotServe`. To be called from the main thread, within
    `only_one`.
    """
    with stop_signal() as stop:
        wait_for_port(settings.host, settings.port)
        children = plan(settings, argv_prefix)
        try:
            for child in children:
                child.start()
            supervise(children, settings, ready, stop)
        finally:
            for kind, seconds in STOP_WITHIN.items():
                end([child for child in children if child.kind == kind], seconds)


def plan(settings: Settings, argv_prefix: Sequence[str]) -> list[Child]:
    children = [Child("web", [*argv_prefix, "web"])]
    children += [Child("worker", [*argv_prefix, "worker"]) for _ in range(settings.workers)]
    if settings.redis_url:
        return children
    try:
        embedded_redis.retire_orphan(settings)
        return [Child("redis", embedded_redis.command(settings)), *children]
    except embedded_redis.NoRedis as error:
        raise CannotServe(str(error)) from error


def supervise(
    children: Sequence[Child], settings: Settings, ready: Callable[[str], None], stop: threading.Event
) -> None:
    announced = False
    while not stop.wait(LOOK):
        for child in children:
            child.keep_alive()
        if not announced and answers(settings.host, settings.port):
            announced = True
            ready(settings.base_url)


def end(children: Sequence[Child], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    for child in children:
        child.terminate()
    for child in children:
        child.wait(deadline)


@contextmanager
def only_one(instance: Path) -> Iterator[None]:
    """Holds the lock of the instance; raises `CannotServe` when a `serve` has it."""
    instance.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(instance / "serve.lock", "a", opener=private) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotServe(f"another serve is running on {instance}: stop it first") from None
        yield


def private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextmanager
def stop_signal() -> Iterator[threading.Event]:
    """An event that is set by the signals that end a program."""
    stop = threading.Event()

    def request(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, request) for number in STOP_SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def wait_for_port(host: str, port: int) -> None:
    """Raises `CannotServe` when the port stays taken: two servers would share it unseen."""
    deadline = time.monotonic() + PORT_FREE_WITHIN
    while reason := why_not_free(host, port):
        if time.monotonic() > deadline:
            raise CannotServe(
                f"cannot listen on {host} port {port} ({reason}): choose another with AUDIENCE_PORT"
            )
        time.sleep(LOOK)


def why_not_free(host: str, port: int) -> str | None:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        return error.strerror
    return None


def answers(host: str, port: int) -> bool:
    """Whether an HTTP server answers there."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - not bound to, asked
    try:
        with socket.create_connection((host, port), timeout=0.3) as client:
            client.sendall(b"HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return client.recv(5) == b"HTTP/"
    except OSError:
        return False
