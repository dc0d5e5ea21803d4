"""`make bench` writes docs/performance.md; `make bench-quick` prints small ratios in two minutes.

Each bench is a process of its own; one that fails is named on the page. Instances are filled once for each
size, into the folder for temporary files. `--trial --page PATH` shows in some minutes whether all benches
run, on so few people that the figures say nothing.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench import instances, machine, performance_page
from bench.performance_page import Found

PAGE = machine.ROOT / "docs" / "performance.md"
BENCHES = (
    "reads", "searches", "segments", "starts", "import_core", "import_http", "record_cost", "waits",
    "change_log", "moves",
)  # fmt: skip
QUICK, QUICK_SIZE = ("reads", "searches", "import_core"), 20_000
BESIDE: dict[str, list[str]] = {"profiles": [], "edge": [], "engines": [], "peers.compared": []}
TRIAL_SIZES = "2000,3000"
TRIAL = BESIDE | {
    "edge": ["--gigabytes", "0.02"],
    "engines": ["--subscribers", "2000", "--runs", "1", "--requests", "200"],
    "peers.compared": ["--runs", "1"],
}
LEAST_SECONDS, SECONDS_A_THOUSAND = 1_800, 1  # until a bench is given up


def run(found: Found, bench: str, options: Sequence[str], size: int = 0) -> None:
    print(f"{datetime.now(UTC):%H:%M:%S}  {bench}", file=sys.stderr, flush=True)
    program = [sys.executable, "-m", f"bench.{bench}", "--json", *options]
    seconds = LEAST_SECONDS + SECONDS_A_THOUSAND * size // 1_000
    try:
        done = subprocess.run(program, stdout=subprocess.PIPE, text=True, timeout=seconds, check=True)
        found.add(bench, json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        found.failed[bench] = f"took more than {seconds} seconds"
    except (subprocess.SubprocessError, ValueError, TypeError) as error:
        found.failed[bench] = type(error).__name__


def measure(size: int, benches: Iterable[str], runs: int) -> Found:
    found = Found()
    with tempfile.TemporaryDirectory() as folder:
        print(f"{datetime.now(UTC):%H:%M:%S}  {size:,} people", file=sys.stderr, flush=True)
        instances.make(Path(folder), size)
        for bench in benches:
            options = ["--instance", folder, "--subscribers", str(size), "--runs", str(runs)]
            run(found, bench, options, size)
    return found


def quick() -> None:
    found = measure(QUICK_SIZE, QUICK, 1)
    for bench, rows in found.rows.items():
        print(performance_page.section(bench, rows))
    print(*found.failed.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="100000,1000000", help="numbers of people, with commas between")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--trial", action="store_true")
    options = parser.parse_args()
    if options.quick:
        quick()
    elif options.trial:
        write(options.page, TRIAL_SIZES, 1, TRIAL)
    else:
        write(options.page, options.sizes, options.runs, BESIDE)


def write(page: Path, people: str, runs: int, beside: Mapping[str, Sequence[str]]) -> None:
    facts, others = machine.facts(), Found()
    for bench, options in beside.items():
        run(others, bench, options)
    sizes = {size: measure(size, BENCHES, runs) for size in map(int, people.split(","))}
    page.write_text(performance_page.page(facts, sizes, others), "utf-8")
    page.with_suffix(".svg").write_text(performance_page.plot_of(sizes), "utf-8")
    print(f"wrote {page}", file=sys.stderr)


if __name__ == "__main__":
    main()
