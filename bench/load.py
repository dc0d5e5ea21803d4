"""An HTTP load generator for the loopback interface: keep-alive connections, prebuilt requests."""

import base64
import json
import multiprocessing
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

PROCESSES = 2
CONNECTIONS = 4  # per process


@dataclass(frozen=True)
class Result:
    """`rate` in requests per second."""

    rate: float
    p50_ms: float
    p99_ms: float


def request(method: str, target: str, key: tuple[str, str], body: Any = None) -> bytes:
    payload = b"" if body is None else json.dumps(body).encode()
    token = base64.b64encode(":".join(key).encode()).decode()
    head = (
        f"{method} {target} HTTP/1.1\r\nHost: bench\r\nAuthorization: Basic {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
    )
    return head.encode() + payload


def fire(port: int, requests: list[bytes]) -> Result:
    """Sends each request once, over 8 connections; raises `RuntimeError` unless all return 200 or 201."""
    chunks = [requests[number::PROCESSES] for number in range(PROCESSES)]
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        began, ended, parts = zip(*pool.starmap(_fire, [(port, chunk) for chunk in chunks]), strict=True)
    seconds = max(ended) - min(began)  # of a clock that all processes share
    times = sorted(seconds for part in parts for seconds in part)
    return Result(
        len(requests) / seconds, times[len(times) // 2] * 1000, times[int(len(times) * 0.99)] * 1000
    )


def _fire(port: int, requests: list[bytes]) -> tuple[float, float, list[float]]:
    """When the first request was sent and the last answered, and the seconds of each."""
    began, times = time.perf_counter(), list[float]()
    threads = [
        threading.Thread(target=send, args=(port, requests[number::CONNECTIONS], times))
        for number in range(CONNECTIONS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(times) != len(requests):
        raise RuntimeError("some requests failed")
    return began, time.perf_counter(), times


def together(calls: Sequence[Callable[[], None]], meanwhile: Callable[[], None] = lambda: None) -> None:
    """Runs each call in a thread of its own until all have ended; raises the error of one that failed."""
    with ThreadPoolExecutor(len(calls)) as pool:
        begun = [pool.submit(call) for call in calls]
        meanwhile()
        for call in begun:
            call.result()


def send(port: int, requests: list[bytes], times: list[float]) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for message in requests:
            start = time.perf_counter()
            connection.sendall(message)
            head, _, body = _receive(connection).partition(b"\r\n\r\n")
            while len(body) < _length(head):
                body += connection.recv(1 << 20)
            if head[9:12] not in (b"200", b"201"):
                raise RuntimeError(head[:15])
            times.append(time.perf_counter() - start)


def _receive(connection: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(1 << 16)
    return received


def _length(head: bytes) -> int:
    return next(
        int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
    )
