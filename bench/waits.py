"""How long requests wait while an import is drained: creates and finds, then also three accepting clients.

The 99th percentile of each, while rows wait to be written, for some seconds at most; the median of the runs.
Requests are made before, and come again when all have been sent: to make them takes the service's processors.
"""

import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

from bench import import_core, import_http, instances, load, people
from bench.rows import MS, Row
from tests.service import Service, until

QUEUED, BATCH = 100_000, 1_000
SECONDS, POLL_SECONDS, ACCEPTING = 8.0, 0.2, 3
GOALS = {"create": 75, "find": 20, "accept": 150}  # ms
MADE = {"create": 2_000, "find": 8_000, "accept": 400}
Requests = dict[str, Callable[[], bytes]]


def p99(times: list[float]) -> float:
    """In milliseconds."""
    return sorted(times)[int(len(times) * 0.99)] * 1000


class Clients:
    """Threads that send requests again and again, and note how long each takes."""

    def __init__(self, port: int, seconds: float = SECONDS) -> None:
        self._port, self._seconds, self._calls = port, seconds, list[Callable[[], None]]()
        self.times: dict[str, list[float]] = {}
        self._end = threading.Event()

    def add(self, name: str, make: Callable[[], bytes], number: int = 1) -> None:
        times = self.times.setdefault(name, [])
        self._calls += [partial(self._send, make, times)] * number

    def _send(self, make: Callable[[], bytes], times: list[float]) -> None:
        while not self._end.is_set():
            load.send(self._port, [make()], times)

    def run(self, drained: Callable[[], bool]) -> None:
        """Until all is drained, for some seconds at most."""
        load.together(self._calls, partial(self._wait, drained))

    def _wait(self, drained: Callable[[], bool]) -> None:
        end = time.monotonic() + self._seconds
        try:
            time.sleep(POLL_SECONDS)
            while time.monotonic() < end and not drained():
                time.sleep(POLL_SECONDS)
        finally:
            self._end.set()


def requests(service: Service, total: int) -> Requests:
    """What gives the next request of each kind, out of as many as `MADE` says."""
    key = service.first["publishable_key"], service.first["secret_key"]
    site = f"site_uuid={service.first['site_uuid']}"
    number = iter(range(10**9))

    def one(method: str, path: str, body: Any = None) -> bytes:
        return load.request(method, f"/api/v1{path}{site}", key, body)

    makers: Requests = {
        "create": lambda: one(
            "POST", "/fetch/subscribers?", {"subscriber": import_core.rows(1, 0, 0, total)[0]}
        ),
        "find": lambda: one("GET", f"/fetch/subscribers?email={people.email(next(number) * 7919 % total)}&"),
        "accept": lambda: one(
            "POST", "/batch/subscribers?", {"subscribers": import_core.rows(BATCH, BATCH // 2, 3, total)}
        ),
    }
    prepared = {kind: cycle([make() for _ in range(MADE[kind])]) for kind, make in makers.items()}
    return {kind: partial(next, bodies) for kind, bodies in prepared.items()}


def waited(service: Service, make: Requests, queued: int, accepting: int) -> dict[str, float]:
    """The 99th percentiles while a queue is drained, in milliseconds."""
    load.send(service.port, [make["accept"]() for _ in range(queued // BATCH)], [])
    clients = Clients(service.port, min(SECONDS, queued / 1_000))
    clients.add("create", make["create"])
    clients.add("find", make["find"])
    if accepting:
        clients.add("accept 1,000 rows", make["accept"], accepting)
    clients.run(lambda: import_http.applied(service))
    until(lambda: import_http.applied(service), 600)
    beside = f", beside {accepting} that accept" if accepting else ""
    return {f"{name} p99 while draining{beside}": p99(times) for name, times in clients.times.items()}


def measure(instance: Path, total: int, runs: int) -> list[Row]:
    with instances.served(instance) as service:
        return of_service(service, total, runs)


def of_service(service: Service, total: int, runs: int) -> list[Row]:
    queued, results = min(QUEUED, total), []
    for _ in range(runs):
        make = requests(service, total)
        results.append(waited(service, make, queued, 0) | waited(service, make, queued, ACCEPTING))
    return [
        Row(
            what=name,
            ours=median(result[name] for result in results),
            unit=MS,
            at_most=GOALS[name.split()[0]],
        )
        for name in results[0]
    ]
