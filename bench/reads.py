"""`python -m bench.reads`: find, stats and a page of a search, compared with a bare Flask endpoint.

The limit is Flask with Flask-HTTPAuth and `jsonify` on the same web server (`bench.bare`). It and the three
are measured in turn, round by round, in the same run. Of each the median round is shown: requests per second,
and the CPU time of all processes of its service, which a busy machine disturbs less. Compare the ratios, not
the figures.
"""

import argparse
import json
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

from audience import pepper, sites
from audience.config import Settings
from bench import bare, load
from bench.memory import below
from bench.segments import fill
from storage import database
from tests.service import Service, environment, free_port, port_answers, serving, until

ROUNDS = 5
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

    numbers = [number * 7919 % total for number in range(count)]
    finds = [
        get("/fetch/subscribers", email=f"person{number}@example{number % 500}.com") for number in numbers
    ]
    at = service.port, service.process.pid
    return [
        Task("find", *at, finds),
        Task("stats", *at, [get("/stats/site")] * count),
        Task("search, page of 100", *at, [get("/fetch/search")] * (count // 4)),
    ]


def prepare(instance: Path, total: int) -> None:
    """People on the first site of a new instance, which `serve` takes as it is."""
    from audience.operations import first_site

    settings = Settings(instance=instance)
    pepper.open(instance)
    database.open(settings.database)
    database.migrate()
    first_site.ensure(settings)
    fill(sites.choose(), total)
    database.close()


def run(instance: Path, total: int, count: int) -> dict[str, list[Round]]:
    with (
        serving(instance, AUDIENCE_LOG_LEVEL="warning") as service,
        bare_service() as (port, pid),
    ):
        until(lambda: (instance / "geo.table").exists(), 120)
        limit = Task("limit: bare Flask", port, pid, [load.request("GET", "/", bare.KEY)] * count)
        everything = [limit, *tasks(service, total, count)]
        for task in everything:
            measure(task)
        rounds: dict[str, list[Round]] = {task.name: [] for task in everything}
        for _ in range(ROUNDS):
            for task in everything:
                rounds[task.name].append(measure(task))
        return rounds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subscribers", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=4_000)
    parser.add_argument("--instance", type=Path, help="a filled instance, in place of a new one")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        instance = options.instance or Path(folder)
        if not options.instance:
            prepare(instance, options.subscribers)
        rounds = run(instance, options.subscribers, options.requests)
    rates = {name: median(each.rate for each in measured) for name, measured in rounds.items()}
    times = {name: median(each.cpu_us for each in measured) for name, measured in rounds.items()}
    [limit, *_] = rounds
    rows = {
        name: {
            "rate": rates[name],
            "of_limit": rates[name] / rates[limit],
            "cpu_us": times[name],
            "limit_cpu_of": times[limit] / times[name],
        }
        for name in rounds
    }
    if options.json:
        print(json.dumps(rows))
        return
    load_before = os.getloadavg()[1]
    print(f"{options.subscribers:,} subscribers, {os.cpu_count()} cores, load {load_before:.1f}\n")
    print(f"{'':24}{'rate/s':>10}{'of limit':>10}{'CPU us':>10}{'of limit':>10}")
    for name, row in rows.items():
        print(
            f"{name:24}{row['rate']:10,.0f}{row['of_limit']:10.2f}"
            f"{row['cpu_us']:10,.0f}{row['limit_cpu_of']:10.2f}"
        )


if __name__ == "__main__":
    main()
