"""The second start of an instance, a command, and the memory of all processes, idle and at work.

Memory is the proportional set size, which counts shared pages once. Python has compiled all modules before,
as on every machine but a new one.
"""

import resource
import subprocess
import time
from pathlib import Path
from statistics import median

from bench import import_core, import_http, instances, load, people
from bench.reads import cpu_seconds
from bench.rows import Row
from tests.process_memory import Peak, pss_mb
from tests.service import Service, command, environment

COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}
IDLE_SECONDS, FINDS, IMPORTED = 3, 2_000, 20_000


def cpu_of_list(instance: Path) -> float:
    """Seconds of CPU of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    settings = environment(instance, 8000, **COMPILED)
    subprocess.run(command("site", "list"), env=settings, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start(instance: Path) -> tuple[float, float]:
    """Seconds, and those of CPU, until an instance answers that was started before."""
    began = time.perf_counter()
    with instances.served(instance, None, **COMPILED) as service:
        return time.perf_counter() - began, cpu_seconds(service.process.pid)


def memory(service: Service, total: int) -> tuple[float, float]:
    """MB of all processes, idle and at work."""
    time.sleep(IDLE_SECONDS)
    idle = pss_mb(service.process.pid)
    key = service.first["publishable_key"], service.first["secret_key"]
    find = f"/api/v1/fetch/subscribers?site_uuid={service.first['site_uuid']}&email="
    finds = [load.request("GET", f"{find}{people.email(number)}", key) for number in range(min(FINDS, total))]
    rows = min(IMPORTED, total)
    with Peak(service.process.pid) as peak:
        load.fire(service.port, finds)
        import_http.imported(service, import_core.rows(rows, rows // 2, 5, total))
    return idle, peak.peak_mb


def measure(instance: Path, total: int, runs: int) -> list[Row]:
    with instances.served(instance, None, **COMPILED) as service:
        idle, at_work = memory(service, total)
    cpu_of_list(instance)  # compiles what it imports
    starts = [start(instance) for _ in range(runs)]
    listed = [cpu_of_list(instance) for _ in range(runs)]
    wall, cpu = (median(seconds) for seconds in zip(*starts, strict=True))
    return [
        Row(what="memory, idle", ours=idle, unit="MB", at_most=200),
        Row(what="memory, at work", ours=at_work, unit="MB", at_most=300),
        Row(what="second start", ours=wall, unit="s", at_most=2),
        Row(what="second start, all processes", ours=cpu, unit="s of CPU"),
        Row(what="a command (`audience site list`)", ours=median(listed), unit="s of CPU", at_most=0.3),
    ]
