"""Find, stats and a page of a search, compared with a bare Flask endpoint.

The limit is Flask with Flask-HTTPAuth and `jsonify` on the same web server, in as many processes, by the
server's own way into WSGI (`bench.bare`). Each round of requests to Audience has one to the limit before it,
and their ratio; of both ratios, that of requests per second and that of the CPU time of all processes of the
service, the median is shown. Compare the ratios, not the figures: the clients share the processors with the
services.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from bench import bare, instances, load, people
from bench.rows import RATE, Row
from tests.process_memory import below
from tests.service import Service, environment, free_port, port_answers, until

GOALS = {"find": 0.50, "stats": 0.60, "search, page of 100": 0.20}
REQUESTS = 4_000
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Task:
    """Requests to one service, and the process that all of its processes are below; `beside` is that of the
    database's server.
    """

    name: str
    port: int
    pid: int
    requests: list[bytes]
    beside: int | None = None

    def cpu_seconds(self) -> float:
        return sum(cpu_seconds(pid) for pid in (self.pid, self.beside) if pid)


@dataclass(frozen=True)
class Round:
    """`rate` in requests per second, `cpu_us` per request."""

    rate: float
    cpu_us: float


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and all below it, those included that have ended."""
    total = 0
    for process_id in (pid, *below(pid)):
        with suppress(FileNotFoundError):
            spent = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, spent[11:15]))
    return total / TICKS


def fired(task: Task) -> Round:
    before = task.cpu_seconds()
    result = load.fire(task.port, task.requests)
    return Round(result.rate, (task.cpu_seconds() - before) / len(task.requests) * 1e6)


@contextmanager
def bare_service() -> Iterator[tuple[int, int]]:
    """(port, pid) of the bare endpoint."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        server = subprocess.Popen([sys.executable, "-m", "bench.bare"], env=environment(Path(folder), port))
        try:
            until(lambda: port_answers(port))
            yield port, server.pid
        finally:
            server.terminate()
            server.wait()


def tasks(service: Service, total: int, count: int, beside: int | None = None) -> list[Task]:
    key = service.first["publishable_key"], service.first["secret_key"]
    site = {"site_uuid": service.first["site_uuid"]}

    def get(path: str, **query: str) -> bytes:
        return load.request("GET", f"/api/v1{path}?{urlencode(site | query)}", key)

    finds = [get("/fetch/subscribers", email=people.email(number * 7919 % total)) for number in range(count)]
    at = service.port, service.process.pid
    return [
        Task("find", *at, finds, beside),
        Task("stats", *at, [get("/stats/site")] * count, beside),
        Task("search, page of 100", *at, [get("/fetch/search")] * (count // 4), beside),
        Task("search, page 100", *at, [get("/fetch/search", page="100")] * (count // 8), beside),
    ]


def measure(instance: Path, total: int, runs: int) -> list[Row]:
    count = min(REQUESTS, total)
    with instances.served(instance) as service, bare_service() as (port, pid):
        limit = Task("bare Flask", port, pid, [load.request("GET", "/", bare.KEY)] * count)
        ours = tasks(service, total, count)
        for task in (limit, *ours):
            fired(task)
        pairs: dict[str, list[tuple[Round, Round]]] = {task.name: [] for task in ours}
        for _ in range(runs):
            for task in ours:
                pairs[task.name].append((fired(limit), fired(task)))
    return [row(*pair) for pair in pairs.items()]


def row(name: str, pairs: list[tuple[Round, Round]]) -> Row:
    """Of rounds of the limit, and of ours after each."""
    return Row(
        what=name, unit=RATE, at_least=GOALS.get(name),
        ours=median(ours.rate for _, ours in pairs),
        limit=median(limit.rate for limit, _ in pairs),
        of_limit=median(ours.rate / limit.rate for limit, ours in pairs),
        cpu_of_limit=median(limit.cpu_us / ours.cpu_us for limit, ours in pairs),
    )  # fmt: skip
