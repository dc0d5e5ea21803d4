"""Segments, reports and the last page of a list on PostgreSQL, and what a connection takes there.

One process is beside its server. The limit is a scan of all subscribers there, as in `bench.segments`; each
round has it and all others, the median of the runs. The page is measured by the CPU that the connection's
process in the server spends, without that of this one. The memory is that which a connection's process in
the server shares with no other. Run it on an idle machine: `make bench-engines`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from audience.access import sites
from audience.access.sites import Site
from audience.config import Settings
from audience.searches.searches import SearchRequest, search_texts
from audience.subscribers import subscribers
from bench import instances, people, scans, searches, segments
from bench.more import engines, postgresql
from bench.rows import MS, Row, parser, show
from storage import database

GOAL_MS = 500
FINDS, OF_OTHERS = 200, 100


@contextmanager
def site_on_server(total: int, others: int) -> Iterator[Site]:
    """The first site of an instance, with `total` people. Each of the `others` has `OF_OTHERS`."""
    with TemporaryDirectory() as folder, postgresql.server() as server:
        settings = Settings(
            instance=Path(folder), database_url=f"postgresql://bench@/postgres?host={server.folder}"
        )
        engines.fill(settings, total)
        database.open(settings.database)
        site = sites.choose()
        for number in range(others):
            instances.fill(sites.create(f"Other {number}"), OF_OTHERS)
        yield site
        database.close()


def measure(site: Site, total: int, runs: int) -> list[Row]:
    for number in range(FINDS):
        subscribers.find_text(site, "/", email=people.email(number % total))
    memory = [_memory(f"a connection that found {FINDS} people")]
    calls = {f"PostgreSQL, {name}": call for name, call in segments.calls_of(site).items()}
    rows = scans.rows(calls, dict.fromkeys(calls, GOAL_MS), runs)
    memory.append(_memory("a connection that counted all of these"))
    return [*(replace(row, cpu_of_limit=None) for row in rows), _far_page(site, total, runs), *memory]


def _far_page(site: Site, total: int, runs: int) -> Row:
    number, spent = total // 100 - 1, []
    for _ in range(runs):
        before = _cpu_ms()
        search_texts(site, SearchRequest(**searches.ALL), number, searches.PAGES)
        spent.append(_cpu_ms() - before)
    what = f"PostgreSQL, list, page {number:,}, of CPU"
    return Row(what=what, ours=median(spent), unit=MS, at_most=searches.FAR_MS)


def _cpu_ms() -> float:
    return int(_of_process("schedstat").split()[0]) / 1e6


def _of_process(file: str) -> str:
    """What the kernel tells of the process in the server."""
    with database.session():
        [process] = database.row("SELECT pg_backend_pid()")
    return Path(f"/proc/{process}/{file}").read_text()


def _memory(what: str) -> Row:
    text = _of_process("smaps_rollup")
    kilobytes = next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_Dirty:"))
    return Row(what=f"PostgreSQL, {what}", ours=kilobytes / 1024, unit="MB")


def main() -> None:
    options = parser(__doc__, 1_000_000)
    options.add_argument("--others", type=int, default=0, help="so many sites more")
    chosen = options.parse_args()
    with site_on_server(chosen.subscribers, chosen.others) as site:
        show(measure(site, chosen.subscribers, chosen.runs))


if __name__ == "__main__":
    main()
