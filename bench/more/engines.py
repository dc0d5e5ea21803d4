"""PostgreSQL beside SQLite in the same run; `limit` is SQLite.

Imports are drained in chunks of 500 rows, half of them of known people, by one process at the domain's door.
Find, stats and a page of a search are requests over HTTP, one service for each engine, on the same web server
and from the same clients as those of `bench.reads`. The last row has the imports of four sites on four
workers on PostgreSQL; its `limit` is one worker. Each in turn on both engines, the median of the runs. CPU is
that of all processes, the server's too. Run it on an idle machine: `make bench-engines`.
"""

import contextlib
import multiprocessing
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from audience.access import sites
from audience.access.sites import Site
from audience.changes.changes import Item
from audience.config import Settings
from audience.imports import imports
from audience.operations import first_site, site_lane
from audience.privacy import pepper
from bench import import_core, instances, reads
from bench.more import postgresql
from bench.reads import Round, cpu_seconds
from bench.rows import RATE, Row, parser, show
from storage import database
from storage.pace import Pace
from tests.client import FakeQueue

WORKERS = 4  # and as many sites
CHUNK = 500
IMPORT_GOAL, WORKERS_GOAL = 0.9, 2.1
READ_GOALS = {"find": 0.85, "stats": 0.8, "search, page of 100": 0.8}


class Spent(NamedTuple):
    """Of one call, in µs."""

    wall: float
    cpu: float


class Place(NamedTuple):
    """An instance on one engine, and the server's process."""

    settings: Settings
    server_pid: int | None

    def imported(self, run: int, total: int) -> Spent:
        """A row that waited is drained."""
        open_worker(self.settings)
        site, rows = sites.choose(), import_core.rows(import_core.ROWS, import_core.ROWS // 2, run, total)
        accept(site, rows)
        cpu, began = self._cpu(), time.perf_counter()
        drain(site.id)
        done = len(rows)
        spent = Spent((time.perf_counter() - began) / done * 1e6, (self._cpu() - cpu) / done * 1e6)
        database.close()
        return spent

    @contextlib.contextmanager
    def tasks(self, total: int, requests: int) -> Iterator[list[reads.Task]]:
        """The requests to a service on it."""
        url = self.settings.database
        with instances.served(self.settings.instance, AUDIENCE_DATABASE_URL=url) as service:
            candidates = reads.tasks(service, total, requests, beside=self.server_pid)
            yield [task for task in candidates if task.name in READ_GOALS]

    def _cpu(self) -> float:
        return time.process_time() + (cpu_seconds(self.server_pid) if self.server_pid else 0)


@contextlib.contextmanager
def open_instances(total: int) -> Iterator[tuple[Place, Place]]:
    """An instance in SQLite, and one on a server, with as many subscribers."""
    with TemporaryDirectory() as one, TemporaryDirectory() as other, postgresql.server() as server:
        url = f"postgresql://bench@/postgres?host={server.folder}"
        in_file = Place(Settings(instance=Path(one)), None)
        on_server = Place(Settings(instance=Path(other), database_url=url), server.pid)
        for instance in (in_file, on_server):
            fill(instance.settings, total)
        yield in_file, on_server


def fill(settings: Settings, total: int) -> None:
    pepper.open(settings.pepper)
    database.open(settings.database)
    database.migrate()
    first_site.ensure(settings)
    instances.fill(sites.choose(), total)
    database.checkpoint()
    database.close()


def measure(total: int, runs: int, requests: int) -> list[Row]:
    with open_instances(total) as (in_file, on_server):
        pairs = [(on_server.imported(run, total), in_file.imported(run, total)) for run in range(runs)]
        results = [_import_row(pairs)]
        with in_file.tasks(total, requests) as limits, on_server.tasks(total, requests) as ours:
            for task, limit in zip(ours, limits, strict=True):
                rounds = [(reads.fired(task), reads.fired(limit)) for _ in range(runs + 1)][1:]
                results.append(_read_row(task.name, *zip(*rounds, strict=True)))
        results.append(side_by_side(on_server, min(import_core.ROWS, total), runs))
    return results


def open_worker(settings: Settings) -> None:
    database.open(settings.database, kept_connections=1)
    pepper.open(settings.pepper)
    vars(imports)["_pace"] = Pace(CHUNK, CHUNK, CHUNK)


def accept(site: Site, items: Sequence[Item]) -> None:
    for first in range(0, len(items), import_core.BATCH):
        batch = list(enumerate(items[first : first + import_core.BATCH]))
        imports.accept(site, batch, [], FakeQueue(), 0)


def drain(site_id: int) -> None:
    while site_lane.drain(site_id, 3600):
        pass


def drained_by(workers: int, instance: Place, rows: int, run: int) -> float:
    """µs for each row of imports that wait on as many new sites as there are workers at most."""
    database.open(instance.settings.database)
    pepper.open(instance.settings.pepper)
    waiting = [sites.create(f"Side by side {number}") for number in range(WORKERS)]
    items = import_core.rows(rows, rows, run, rows)
    for site in waiting:
        accept(site, items)
    database.close()
    with multiprocessing.get_context("spawn").Pool(workers, open_worker, (instance.settings,)) as pool:
        pool.map(drain, [0] * workers, chunksize=1)  # they start
        began = time.perf_counter()
        pool.map(drain, [site.id for site in waiting], chunksize=1)
        return (time.perf_counter() - began) / (WORKERS * rows) * 1e6


def side_by_side(instance: Place, rows: int, runs: int) -> Row:
    turns = [
        (drained_by(WORKERS, instance, rows, run), drained_by(1, instance, rows, run)) for run in range(runs)
    ]
    four, one = map(statistics.median, zip(*turns, strict=True))
    return Row(
        what="import of four sites, four workers beside one", ours=four, unit="µs", limit=one,
        of_limit=one / four, at_least=WORKERS_GOAL,
    )  # fmt: skip


def _import_row(pairs: Sequence[tuple[Spent, Spent]]) -> Row:
    ours, limit = (Spent(*map(statistics.median, zip(*run, strict=True))) for run in zip(*pairs, strict=True))
    return Row(
        what="import of chunks of 500, PostgreSQL beside SQLite", ours=ours.wall, unit="µs", limit=limit.wall,
        of_limit=limit.wall / ours.wall, cpu_of_limit=limit.cpu / ours.cpu, at_least=IMPORT_GOAL,
    )  # fmt: skip


def _read_row(name: str, on_server: Sequence[Round], in_file: Sequence[Round]) -> Row:
    rate, limit = (statistics.median(round_.rate for round_ in rounds) for rounds in (on_server, in_file))
    cpu, limit_cpu = (
        statistics.median(round_.cpu_us for round_ in rounds) for rounds in (on_server, in_file)
    )
    return Row(
        what=f"{name} over HTTP, PostgreSQL beside SQLite", ours=rate, unit=RATE, limit=limit,
        of_limit=rate / limit, cpu_of_limit=limit_cpu / cpu, at_least=READ_GOALS[name],
    )  # fmt: skip


def main() -> None:
    options = parser(__doc__, 100_000)
    options.add_argument("--requests", type=int, default=4_000)
    chosen = options.parse_args()
    show(measure(chosen.subscribers, chosen.runs, chosen.requests))


if __name__ == "__main__":
    main()
