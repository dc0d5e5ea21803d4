"""What the record of changes costs an import: with it ("measured") and without it ("limit").

The drain of accepted batches, as in `bench.import_core`, where half are new and where all are known and get
another value; then an import over HTTP. "Of limit" is the rate with the record of that without, in CPU time
but for the import over HTTP, where it is by the clock. Without it no row of the record, no index of whom it
changed and no counter of it is written, and no entry is made. Interleaved, the median of the runs. Bytes are
those of the rows and of their index, for each person who is changed.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from audience import change_log
from audience.sites import Site
from bench import import_core, import_http, instances
from bench.rows import CPU, Row, parser, show
from storage import database
from tests.service import until
from workers import interpreter

ROWS = import_core.ROWS
KINDS = {"half new": (ROWS // 2, 0.9), "all known and changed": (ROWS, 0.875)}  # known, goal
UNRECORDED = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent / "unrecorded"), os.getcwd()])}
SIZE = "SELECT sum(pgsize) FROM dbstat WHERE name IN ('change_log', 'changed_subscribers')"


@contextlib.contextmanager
def without_record() -> Iterator[None]:
    kept = change_log.record
    vars(change_log)["record"] = lambda *_: None
    try:
        yield
    finally:
        vars(change_log)["record"] = kept


def of_core(site: Site, name: str, total: int, runs: int) -> Row:
    known, goal = KINDS[name]
    recorded, bare = [], []
    for run in range(runs):
        both = [import_core.rows(ROWS, known, age, total) for age in (40 + 2 * run, 41 + 2 * run)]
        recorded.append(import_core.drained(site, both[0]) / ROWS * 1e6)
        with without_record():
            bare.append(import_core.drained(site, both[1]) / ROWS * 1e6)
    ours, limit = median(recorded), median(bare)
    return Row(
        what=f"import core with the record, {name}, a row", ours=ours, unit=CPU, limit=limit,
        of_limit=limit / ours, cpu_of_limit=limit / ours, at_least=goal,
    )  # fmt: skip


def of_http(instance: Path, total: int, runs: int) -> Row:
    turns = [
        (_imported(instance, {}, total, 60 + 2 * run), _imported(instance, UNRECORDED, total, 61 + 2 * run))
        for run in range(runs)
    ]
    (wall, cpu), (limit, limit_cpu) = (
        map(median, zip(*each, strict=True)) for each in zip(*turns, strict=True)
    )
    return Row(
        what="import over HTTP with the record, half new", ours=import_http.ROWS / wall, unit="rows/s",
        limit=import_http.ROWS / limit, of_limit=limit / wall, cpu_of_limit=limit_cpu / cpu, at_least=0.9,
    )  # fmt: skip


def _imported(instance: Path, settings: dict[str, str], total: int, age: int) -> tuple[float, float]:
    """(seconds, seconds of CPU) of the second import of a service that has just started."""
    count = import_http.ROWS
    with instances.served(instance, None, **settings) as service:
        until(lambda: (instance / "geo.table").exists(), 120)
        import_http.imported(service, import_core.rows(1_000, 500, age - 30, total))
        return import_http.imported(service, import_core.rows(count, count // 2, age, total))


def of_bytes(site: Site, total: int) -> Row:
    before = _size()
    import_core.drained(site, import_core.rows(ROWS, ROWS, 85, total))
    return Row(what="record, a person who is changed", ours=(_size() - before) / ROWS, unit="bytes")


def _size() -> int:
    with database.session():
        return int(database.row(SIZE)[0] or 0)


def main() -> None:
    options = parser(__doc__, 100_000).parse_args()
    interpreter.settle()
    with instances.filled(options.instance, options.subscribers) as instance:
        with instances.opened(instance) as site:
            rows = [of_core(site, name, options.subscribers, options.runs) for name in KINDS]
            rows.append(of_bytes(site, options.subscribers))
        rows.append(of_http(instance, options.subscribers, options.runs))
    show(rows, options.json)


if __name__ == "__main__":
    main()
