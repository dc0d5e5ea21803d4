"""The second start of an instance, a command, and the memory of all processes, idle and at work.

The limit of a start and of a command is that of `python -c pass`. Memory is the proportional set size, which
counts shared pages once. Python has compiled all modules before, as on every machine but a new one.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench import import_core, import_http, instances, load, people
from bench.memory import Peak, pss_mb
from bench.reads import cpu_seconds
from bench.rows import Row, parser, show
from tests.service import Service, command, environment, until

COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}
IDLE_SECONDS, FINDS, IMPORTED = 3, 2_000, 20_000


class Spent(NamedTuple):
    """In seconds."""

    wall: float
    cpu: float


def spent(arguments: Sequence[str], instance: Path) -> Spent:
    """What a program takes that ends."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        arguments, env=environment(instance, 8000, **COMPILED), check=True, stdout=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(time.perf_counter() - began, cpu)


def start(instance: Path) -> Spent:
    """What it takes until an instance answers that was started before."""
    began = time.perf_counter()
    with instances.served(instance, None, **COMPILED) as service:
        return Spent(time.perf_counter() - began, cpu_seconds(service.process.pid))


def memory(service: Service, total: int) -> tuple[float, float]:
    """MB of all processes, idle and at work."""
    time.sleep(IDLE_SECONDS)
    idle = pss_mb(service.process.pid)
    key = service.first["publishable_key"], service.first["secret_key"]
    find = f"/api/v1/fetch/subscribers?site_uuid={service.first['site_uuid']}&email="
    finds = [load.request("GET", f"{find}{people.email(number)}", key) for number in range(FINDS)]
    with Peak(service.process.pid) as peak:
        load.fire(service.port, finds)
        import_http.imported(service, import_core.rows(IMPORTED, IMPORTED // 2, 5, total))
    return idle, peak.peak_mb


def measure(instance: Path, total: int, runs: int) -> list[Row]:
    with instances.served(instance, None, **COMPILED) as service:
        until(lambda: (instance / "geo.table").exists(), 120)
        idle, at_work = memory(service, total)
    spent(command("site", "list"), instance)
    python, listed, starts = [], [], []
    for _ in range(runs):
        python.append(spent([sys.executable, "-c", "pass"], instance))
        listed.append(spent(command("site", "list"), instance))
        starts.append(start(instance))
    limit = Spent(*map(median, zip(*python, strict=True)))
    return [
        Row(what="memory, idle", ours=idle, unit="MB", at_most=200),
        Row(what="memory, at work", ours=at_work, unit="MB", at_most=300),
        *_rows("second start", starts, limit, 2.0, None),
        *_rows("a command (`audience site list`)", listed, limit, None, 0.3),
    ]


def _rows(
    what: str, found: Sequence[Spent], limit: Spent, most_wall: float | None, most_cpu: float | None
) -> list[Row]:
    """By the clock, and in CPU time."""
    wall, cpu = map(median, zip(*found, strict=True))
    return [
        Row(what=what, ours=wall, unit="s", limit=limit.wall, of_limit=limit.wall / wall, at_most=most_wall),
        Row(
            what=f"{what}, all processes", ours=cpu, unit="s of CPU", limit=limit.cpu,
            of_limit=limit.cpu / cpu, cpu_of_limit=limit.cpu / cpu, at_most=most_cpu,
        ),
    ]  # fmt: skip


def main() -> None:
    options = parser(__doc__, 100_000).parse_args()
    with instances.filled(options.instance, options.subscribers) as instance:
        show(measure(instance, options.subscribers, options.runs), options.json)


if __name__ == "__main__":
    main()
