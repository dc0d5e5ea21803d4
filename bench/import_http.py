"""An import over HTTP by two importers at once, until the last person is findable.

The limit writes the same rows with bare `executemany` into the same database, as in `bench.import_core`,
while nothing else does. By wall time, and by the CPU time of all processes of the service. Each pair
interleaved, the median of the runs.
"""

import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from audience.access.sites import Site
from bench import import_core, instances, load
from bench.reads import cpu_seconds
from bench.rows import Row
from tests.service import Service, until

IMPORTERS, BATCH = 2, 1_000
ROWS = 10_000  # of a run at most, half of them known


def imported(service: Service, items: list[dict[str, Any]]) -> tuple[float, float]:
    """(seconds, seconds of CPU) until all items are findable."""
    requests = [_request(service, items[first : first + BATCH]) for first in range(0, len(items), BATCH)]
    before, start = cpu_seconds(service.process.pid), time.perf_counter()
    load.together(
        [partial(load.send, service.port, requests[number::IMPORTERS], []) for number in range(IMPORTERS)]
    )
    until(lambda: applied(service), 600)
    return time.perf_counter() - start, cpu_seconds(service.process.pid) - before


def _request(service: Service, items: list[dict[str, Any]]) -> bytes:
    path = f"/api/v1/batch/subscribers?site_uuid={service.first['site_uuid']}"
    key = service.first["publishable_key"], service.first["secret_key"]
    return load.request("POST", path, key, {"subscribers": items})


def applied(service: Service) -> bool:
    """Whether the newest imports, of which all others were accepted before, are written."""
    _, answer = service.call("GET", "/batch/imports")
    return all(import_["attributes"]["status"] == "finished" for import_ in answer["data"])


def measure(instance: Path, total: int, runs: int) -> list[Row]:
    with instances.served(instance) as service, instances.open_instance(instance) as site:
        return [of_service(service, site, total, runs)]


def of_service(service: Service, site: Site, total: int, runs: int) -> Row:
    count, ours, limits = min(ROWS, total), [], []
    for run in range(runs):
        both = [import_core.rows(count, count // 2, age, total) for age in (20 + 2 * run, 21 + 2 * run)]
        ours.append(imported(service, both[0]))
        start = time.process_time()
        wall = import_core.bare(site, both[1], time.perf_counter)
        limits.append((wall, time.process_time() - start))
    (wall, cpu), (limit, limit_cpu) = (
        (median(row[0] for row in times), median(row[1] for row in times)) for times in (ours, limits)
    )
    return Row(
        what="import over HTTP, until findable", ours=count / wall, unit="rows/s", limit=count / limit,
        of_limit=limit / wall, cpu_of_limit=limit_cpu / cpu, at_least=0.60,
    )  # fmt: skip
