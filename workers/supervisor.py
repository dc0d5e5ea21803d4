"""Runs Redis, the web server and the import workers, and restarts those that die."""

import errno
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType

from audience.config import Settings
from workers import embedded_redis
from workers.instance_lock import CannotServe
from workers.managed_process import ManagedProcess

POLL_SECONDS = 0.05
PORT_TIMEOUT_SECONDS = 3.0
PROBE_TIMEOUT_SECONDS = 0.3
PROBE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
LONGEST_LINE = 100
HEALTHY = (b"HTTP/1.1 200 ", b"HTTP/1.0 200 ")
NO_SHARED_REDIS = (
    "serve --web-only needs AUDIENCE_REDIS_URL: the workers of other hosts hear of imports there"
)
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STOP_TIMEOUT_SECONDS = {"web": 8.0, "worker": 8.0, "redis": 5.0}  # stopped in this order


def serve(
    settings: Settings, argv_prefix: Sequence[str], ready: Callable[[str], None], web_only: bool = False
) -> None:
    """Runs all processes, or only the web server, until SIGINT, SIGTERM or SIGHUP, then stops them in order.

    `argv_prefix` is the command line to which `web` or `worker` is added. `ready` is called once with the
    base URL, when the web server is healthy.

    Call it from the main thread, within `hold_instance_lock`. Raises `CannotServe`.
    """
    with stop_signal() as stop:
        wait_until_port_free(settings.host, settings.port)
        processes = plan(settings, argv_prefix, web_only)
        try:
            for process in processes:
                process.start()
            supervise(processes, settings, ready, stop)
        finally:
            for kind, seconds in STOP_TIMEOUT_SECONDS.items():
                stop_all([process for process in processes if process.kind == kind], seconds)


def plan(settings: Settings, argv_prefix: Sequence[str], web_only: bool = False) -> list[ManagedProcess]:
    """The processes to run, not started yet, with Redis unless one is configured.

    Raises `CannotServe` without a usable Redis.
    """
    processes = [ManagedProcess("web", [*argv_prefix, "web"])]
    if web_only:
        if not settings.redis_url:
            raise CannotServe(NO_SHARED_REDIS)
        return processes
    processes += [ManagedProcess("worker", [*argv_prefix, "worker"]) for _ in range(settings.workers)]
    if settings.redis_url:
        return processes
    try:
        embedded_redis.stop_orphan(settings)
        command = embedded_redis.command(settings)
        return [ManagedProcess("redis", command, partial(_mend_redis, settings)), *processes]
    except embedded_redis.NoRedis as error:
        raise CannotServe(str(error)) from error


def _mend_redis(settings: Settings) -> str:
    try:
        aside = embedded_redis.set_aside(settings)
    except OSError as error:
        return f"the folder of redis cannot be set aside ({error.strerror})"
    return (
        f"redis starts with an empty folder; the old folder is kept as {aside}, but nothing in it is needed"
    )


def supervise(
    processes: Sequence[ManagedProcess],
    settings: Settings,
    ready: Callable[[str], None],
    stop: threading.Event,
) -> None:
    """Restarts processes that die, until `stop` is set.

    Calls `ready` once with the base URL, when the web server is healthy.
    """
    announced = False
    while not stop.wait(POLL_SECONDS):
        for process in processes:
            process.keep_alive()
        if not announced and is_healthy(settings.host, settings.port):
            announced = True
            ready(settings.base_url)


def stop_all(processes: Sequence[ManagedProcess], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait(deadline)


@contextmanager
def stop_signal() -> Iterator[threading.Event]:
    """Yields an event that any of `STOP_SIGNALS` sets. Restores earlier signal handlers at the end."""
    stop = threading.Event()

    def request(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    previous = {number: signal.signal(number, request) for number in STOP_SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def wait_until_port_free(host: str, port: int) -> None:
    """Waits until the port is free, because two servers would share it without an error.

    Raises `CannotServe` if it stays taken, or at once if the address is unusable.
    """
    deadline = time.monotonic() + PORT_TIMEOUT_SECONDS
    while error := bind_error(host, port):
        if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
            raise CannotServe(
                f"cannot listen on {host} port {port} ({error.strerror}): {remedy(error)}"
            ) from error
        time.sleep(POLL_SECONDS)


def bind_error(host: str, port: int) -> OSError | None:
    """The system's error if a server cannot listen at the address; else None."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        return error
    return None


def remedy(error: OSError) -> str:
    """What the operator can do about a `bind_error`, as a clause."""
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return (
            "set AUDIENCE_HOST to an IP address of this machine: 127.0.0.1 for this machine alone, "
            "0.0.0.0 for every network"
        )
    if error.errno == errno.EACCES:
        return "set AUDIENCE_PORT to 1024 or more, as only root may listen below"
    return "choose another with AUDIENCE_PORT"


def is_healthy(host: str, port: int) -> bool:
    """Whether `/healthz` answers 200. Uses a plain socket: an HTTP client would keep 3 MB of memory."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - connected to, not bound
    try:
        with socket.create_connection((host, port), PROBE_TIMEOUT_SECONDS) as connection:
            connection.sendall(PROBE)
            with connection.makefile("rb") as answer:
                return answer.readline(LONGEST_LINE).startswith(HEALTHY)
    except OSError:
        return False
