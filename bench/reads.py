"""`python -m bench.reads`: find, stats and a page of a search, compared with a bare Flask endpoint.

The limit is Flask with Flask-HTTPAuth and `jsonify` on the same web server (`bench.bare`). It and the three
are measured in turn, round by round, in the same run. Of each the median round is shown: requests per second,
and the CPU time of all processes of its service, which a busy machine disturbs less. Compare the ratios, not
the figures.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from bench import bare, instances, load, people
from bench.memory import below
from bench.rows import RATE, Row, parser, show
from tests.service import Service, environment, free_port, port_answers, serving, until

LIMIT = "bare Flask"
GOALS = {"find": ".65", "stats": ".80", "search, page of 100": ".30"}
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Task:
    """Requests to one service, and the process that all of its processes are below."""

    name: str
    port: int
    pid: int
    requests: list[bytes]


@dataclass(frozen=True)
class Round:
    """`rate` in requests per second, `cpu_us` per request."""

    rate: float
    cpu_us: float


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and all below it."""
    total = 0
    for each in (pid, *below(pid)):
        spent = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        total += int(spent[11]) + int(spent[12])
    return total / TICKS


def measure(task: Task) -> Round:
    before = cpu_seconds(task.pid)
    result = load.fire(task.port, task.requests)
    return Round(result.rate, (cpu_seconds(task.pid) - before) / len(task.requests) * 1e6)


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


def tasks(service: Service, total: int, count: int) -> list[Task]:
    key = service.first["publishable_key"], service.first["secret_key"]
    site = {"site_uuid": service.first["site_uuid"]}

    def get(path: str, **query: str) -> bytes:
        return load.request("GET", f"/api/v1{path}?{urlencode(site | query)}", key)

    finds = [get("/fetch/subscribers", email=people.email(number * 7919 % total)) for number in range(count)]
    at = service.port, service.process.pid
    return [
        Task("find", *at, finds),
        Task("stats", *at, [get("/stats/site")] * count),
        Task("search, page of 100", *at, [get("/fetch/search")] * (count // 4)),
        Task("search, page 100", *at, [get("/fetch/search", page="100")] * (count // 8)),
    ]


def run(instance: Path, total: int, count: int, runs: int) -> dict[str, list[Round]]:
    with (
        serving(instance, AUDIENCE_LOG_LEVEL="warning") as service,
        bare_service() as (port, pid),
    ):
        until(lambda: (instance / "geo.table").exists(), 120)
        limit = Task(LIMIT, port, pid, [load.request("GET", "/", bare.KEY)] * count)
        everything = [limit, *tasks(service, total, count)]
        for task in everything:
            measure(task)
        rounds: dict[str, list[Round]] = {task.name: [] for task in everything}
        for _ in range(runs):
            for task in everything:
                rounds[task.name].append(measure(task))
        return rounds


def rows(rounds: dict[str, list[Round]]) -> list[Row]:
    rates = {name: median(each.rate for each in measured) for name, measured in rounds.items()}
    times = {name: median(each.cpu_us for each in measured) for name, measured in rounds.items()}
    return [
        Row(
            what=name, ours=rates[name], unit=RATE, limit=rates[LIMIT], of_limit=rates[name] / rates[LIMIT],
            cpu_of_limit=times[LIMIT] / times[name], goal=GOALS.get(name, ""),
        )
        for name in rounds if name != LIMIT
    ]  # fmt: skip


def main() -> None:
    options = parser(__doc__, 100_000)
    options.add_argument("--requests", type=int, default=4_000)
    chosen = options.parse_args()
    with instances.filled(chosen.instance, chosen.subscribers) as instance:
        show(rows(run(instance, chosen.subscribers, chosen.requests, chosen.runs)), chosen.json)


if __name__ == "__main__":
    main()
