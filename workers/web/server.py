"""The web server: granian, whose worker processes run the application in threads."""

import multiprocessing
import os
import resource
import threading
import time
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings

from audience.config import Settings

MAX_CONNECTIONS = 8192  # per web process
HEADER_TIMEOUT_MS = 10_000
STOP_TIMEOUT_SECONDS = 3
PARENT_POLL_SECONDS = 0.3


_made: Any = None


def serve(settings: Settings, application: str, shared: Any = None) -> None:
    """Serves an application until SIGTERM or SIGINT. `application` is the `module:factory` of its `Gateway`.

    In the web processes, `made_before` returns the object `shared`, whose memory they share.
    """
    global _made
    _made = shared
    Granian(
        application,
        factory=True,
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGINL,
        workers=settings.web_workers,
        backlog=2048,
        backpressure=max_connections(),
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_TIMEOUT_MS),
        websockets=False,
        log_enabled=False,
        workers_kill_timeout=STOP_TIMEOUT_SECONDS,
        respawn_failed_workers=True,
    ).serve()


def shared_object() -> Any:
    """The object passed to `serve` as `shared`; None in a process not forked from it."""
    return _made


def exit_with_parent() -> None:
    """Starts a thread that ends this web process with its parent. The application's factory calls it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_after, args=(parent.pid,), daemon=True).start()


def _exit_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_SECONDS)
    os._exit(1)


def max_connections() -> int:
    """How many connections the limit on open files allows. Call it once Granian has raised that."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_CONNECTIONS if limit == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, limit * 3 // 4)
