"""The web server: granian, whose worker processes run the application in threads."""

import os
import resource
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from granian import _granian, _signals
from granian.constants import HTTPModes, Interfaces, RuntimeModes
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.common import WORKERS_METHODS
from granian.server.mp import MPServer, WorkerProcess

from audience.config import Settings
from workers.log import configure
from workers.web.wsgi import Gateway

# Private parts of granian: untyped, or typed without all their arguments.
native: Any = _granian
signals: Any = _signals
worker_process: Any = WorkerProcess

MAX_CONNECTIONS = 8192  # per web process
HEADER_TIMEOUT_MS = 10_000
STOP_TIMEOUT_SECONDS = 3
PARENT_POLL_SECONDS = 0.3


def serve(settings: Settings, application: str = "app:wsgi") -> None:
    """Serves `application`, a `module:factory` of a WSGI callable, until SIGTERM or SIGINT."""
    server = MPServer(
        application,
        factory=True,
        address=settings.host,
        port=settings.port,
        interface=Interfaces.RSGI,
        workers=settings.web_workers,
        backlog=2048,
        backpressure=max_connections(),
        runtime_mode=RuntimeModes.mt,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_TIMEOUT_MS),
        websockets=False,
        log_level=LogLevels.error,
        workers_kill_timeout=STOP_TIMEOUT_SECONDS,
        respawn_failed_workers=True,
    )
    server.serve(partial(run_worker, os.getpid(), settings))


def run_worker(parent: int, settings: Settings, *arguments: Any) -> None:
    """Runs one web process, which exits when its `parent` does."""
    threading.Thread(target=exit_with, args=(parent,), daemon=True).start()
    worker_process.wrap_target(partial(handle_requests, settings))(*arguments)


def exit_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_SECONDS)
    os._exit(1)


def handle_requests(
    settings: Settings,
    worker_id: int,
    application: Any,
    sock: Any,
    ipc: Any,
    _loop: Any,
    runtime_mode: Any,
    runtime_threads: int,
    runtime_blocking_threads: int | None,
    _blocking_threads: int,
    threads_idle_timeout: int,
    backpressure: int,
    _task_impl: Any,
    http_mode: Any,
    http1_settings: Any,
    http2_settings: Any,
    websockets: bool,
    static_path: Any,
    _log_access_format: Any,
    ssl_context: Any,
    _scope_options: Any,
    metrics: Any,
) -> None:
    """Replaces granian's `MPServer._spawn_rsgi_worker`, with its arguments as of granian 2.8: runs the
    application in `settings.web_threads` threads instead of an event loop."""
    configure(settings.log_level)
    stopped = threading.Event()
    signalled = signals.set_sync_signals()
    signalled.add_cb(stopped.set)
    worker = native.RSGIWorker(
        worker_id,
        sock,
        ipc,
        runtime_threads,
        runtime_blocking_threads,
        settings.web_threads,
        threads_idle_timeout,
        backpressure,
        http_mode,
        http1_settings,
        http2_settings,
        websockets,
        static_path,
        *ssl_context,
        metrics,
    )
    loop = ImmediateLoop()
    scheduler = native.CallbackScheduler(loop, None, None, None, None)
    scheduler._schedule_fn = Gateway(application, settings.body_timeout, settings.max_body_bytes)
    serve_method = WORKERS_METHODS[runtime_mode][(sock[0] or sock[1]).is_uds()]
    getattr(worker, serve_method)(scheduler, loop, signalled)
    stopped.wait()


class ImmediateLoop:
    """Replaces the event loop that granian notifies of a completed future: makes the call at once."""

    def call_soon_threadsafe(self, callback: Callable[..., Any], *arguments: Any, **_context: Any) -> None:
        callback(*arguments)

    call_soon = call_soon_threadsafe


def max_connections() -> int:
    """The number of connections that the limit on open files allows, after granian has raised it."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_CONNECTIONS if limit == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, limit * 3 // 4)
