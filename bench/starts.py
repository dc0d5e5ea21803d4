"""The second start of an instance, a command, and the memory of all processes, idle and at work.

The limit of a start and of a command is that of `python -c pass`. Memory is the proportional set size, which
counts shared pages once.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench import import_core, import_http, instances, load, people
from bench.memory import Peak, pss_mb
from bench.reads import cpu_seconds
from bench.rows import Row, parser, show
from tests.service import Service, command, environment, serving, until

IDLE_SECONDS, FINDS, IMPORTED = 3, 2_000, 20_000


def cpu_of(arguments: Sequence[str], instance: Path) -> float:
    """Seconds of CPU of a program that ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, env=environment(instance, 8000), check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start(instance: Path) -> tuple[float, float]:
    """(seconds, seconds of CPU) until an instance answers that was started before."""
    began = time.perf_counter()
    with serving(instance, AUDIENCE_LOG_LEVEL="warning") as service:
        return time.perf_counter() - began, cpu_seconds(service.process.pid)


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
    with serving(instance, AUDIENCE_LOG_LEVEL="warning") as service:
        until(lambda: (instance / "geo.table").exists(), 120)
        idle, at_work = memory(service, total)
    python, listed = [], []
    for _ in range(runs):
        python.append(cpu_of([sys.executable, "-c", "pass"], instance))
        listed.append(cpu_of(command("site", "list"), instance))
    starts = [start(instance) for _ in range(runs)]
    limit, wall = median(python), median(each[0] for each in starts)
    rows = (
        ("second start", wall, "s", "2.0"),
        ("second start, all processes", median(each[1] for each in starts), "s of CPU", ""),
        ("a command (`audience site list`)", median(listed), "s of CPU", ".3"),
    )
    return [
        Row(what="memory, idle", ours=idle, unit="MB", goal="200"),
        Row(what="memory, at work", ours=at_work, unit="MB", goal="300"),
        *(Row(what=what, ours=ours, unit=unit, limit=limit, of_limit=limit / ours, goal=goal)
          for what, ours, unit, goal in rows),
    ]  # fmt: skip


def main() -> None:
    options = parser(__doc__, 100_000).parse_args()
    with instances.filled(options.instance, options.subscribers) as instance:
        show(measure(instance, options.subscribers, options.runs), options.json)


if __name__ == "__main__":
    main()
