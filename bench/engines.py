"""PostgreSQL beside SQLite in the same run: imports, a find, counts, a page of a search; `limit` is SQLite.

Each in turn on both engines, the median of the runs. CPU is that of this process and of the server. Run it on
an idle machine: `make bench-engines`.
"""

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from audience import pepper, sites, stats, subscribers
from audience.config import Settings
from audience.operations import first_site
from audience.sites import Site
from bench import import_core, instances, people
from bench.peers import postgresql
from bench.reads import cpu_seconds
from bench.rows import Row, parser, show
from storage import database

READS = 300
GOALS = {"import": ".6", "find": ".7", "counts": ".7", "page 1 of a search": ".7"}
FIRST_PAGE = subscribers.SearchRequest(after={}, before={})

Act = Callable[[Site, int, int], int]  # of a site, a run and the subscribers; how often it did it


class Spent(NamedTuple):
    """Of one act, in µs."""

    wall: float
    cpu: float


class Place(NamedTuple):
    """An instance on one engine, and the server's process."""

    settings: Settings
    server_pid: int | None

    def measured(self, act: Act, run: int, total: int) -> Spent:
        database.open(self.settings.database, kept=1)
        pepper.open(self.settings.pepper)
        site = sites.choose()
        cpu, began = self._cpu(), time.perf_counter()
        done = act(site, run, total)
        spent = Spent((time.perf_counter() - began) / done * 1e6, (self._cpu() - cpu) / done * 1e6)
        database.close()
        return spent

    def _cpu(self) -> float:
        return time.process_time() + (cpu_seconds(self.server_pid) if self.server_pid else 0)


def import_(site: Site, run: int, total: int) -> int:
    rows = import_core.rows(import_core.ROWS, import_core.ROWS // 2, run, total)
    import_core.drained(site, rows)
    return len(rows)


def find(site: Site, run: int, total: int) -> int:
    for number in range(READS):
        subscribers.find(site, people.email((run * READS + number) * 7919 % total))
    return READS


def count(site: Site, _run: int, _total: int) -> int:
    for _ in range(READS):
        stats.for_site(site)
    return READS


def search(site: Site, _run: int, _total: int) -> int:
    for _ in range(READS):
        subscribers.search(site, FIRST_PAGE, 1)
    return READS


ACTS: dict[str, Act] = {"import": import_, "find": find, "counts": count, "page 1 of a search": search}


@contextlib.contextmanager
def places(total: int) -> Iterator[tuple[Place, Place]]:
    """An instance in SQLite, and one on a server, with as many subscribers."""
    with TemporaryDirectory() as one, TemporaryDirectory() as other, postgresql.server() as server:
        url = f"postgresql://bench@/postgres?host={server.folder}"
        in_file = Place(Settings(instance=Path(one)), None)
        on_server = Place(Settings(instance=Path(other), database_url=url), server.pid)
        for place in (in_file, on_server):
            fill(place.settings, total)
        yield in_file, on_server


def fill(settings: Settings, total: int) -> None:
    pepper.open(settings.pepper)
    database.open(settings.database)
    database.migrate()
    first_site.ensure(settings)
    instances.fill(sites.choose(), total)
    database.checkpoint()
    database.close()


def measure(total: int, runs: int) -> list[Row]:
    found = []
    with places(total) as (in_file, on_server):
        for name, act in ACTS.items():
            pairs = [
                (on_server.measured(act, run, total), in_file.measured(act, run, total))
                for run in range(runs)
            ]
            found.append(_row(name, [pair[0] for pair in pairs], [pair[1] for pair in pairs]))
    return found


def _row(name: str, on_server: list[Spent], in_file: list[Spent]) -> Row:
    ours, limit = (Spent(*map(statistics.median, zip(*each, strict=True))) for each in (on_server, in_file))
    return Row(
        what=f"{name}, PostgreSQL beside SQLite", ours=ours.wall, unit="µs", limit=limit.wall,
        of_limit=limit.wall / ours.wall, cpu_of_limit=limit.cpu / ours.cpu, goal=GOALS[name],
    )  # fmt: skip


def main() -> None:
    options = parser(__doc__, 100_000).parse_args()
    show(measure(options.subscribers, options.runs), options.json)


if __name__ == "__main__":
    main()
