"""`python -m bench [NAME ...]` prints what benches measure, each figure beside a limit of the same run.

Without names it runs all. Each bench is a process of its own, and all share one instance of `--subscribers`
people, made anew or given by `--instance` (which they change). `--quick` prints the ratios that matter, of a
small instance: run it before and after a change, in turn.
"""

import importlib
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench import instances, machine, rows
from bench.rows import Row

BENCHES = (
    "reads", "searches", "segments", "starts", "import_core", "import_http", "waits", "files", "change_log",
)  # fmt: skip
QUICK_SIZE, QUICK_RUNS = 20_000, 3
QUICK = {
    "reads": ("find", "stats", "search, page of 100"),
    "searches": ("list, page 100",),
    "segments": ("segment: five conditions", "report: Total people"),
    "import_core": ("import core, half new, a row", "import core, all new, a row"),
    "import_http": ("import over HTTP, until findable",),
}


def run(bench: str, instance: Path, total: int, runs: int) -> list[Row]:
    print(f"bench.{bench}", file=sys.stderr, flush=True)
    measure = importlib.import_module(f"bench.{bench}").measure
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        rows: list[Row] = process.submit(measure, instance, total, runs).result()
        return rows


def main() -> None:
    options = rows.parser(__doc__, 1_000_000)
    options.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHES))
    options.add_argument("--quick", action="store_true")
    chosen = options.parse_args()
    names, total, runs = chosen.names or BENCHES, chosen.subscribers, chosen.runs
    if chosen.quick:
        names, total, runs = QUICK, QUICK_SIZE, QUICK_RUNS
    print(machine.facts())
    with instances.filled(chosen.instance, total) as instance:
        results = [row for bench in names for row in run(bench, instance, total, runs)]
    matter = {what for names in QUICK.values() for what in names}
    rows.show([row for row in results if not chosen.quick or row.what in matter])


if __name__ == "__main__":
    main()
