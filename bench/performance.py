"""`make bench` writes docs/performance.md; `make bench-quick` prints small ratios in two minutes.

Each bench is a process of its own; one that fails is named on the page. All are run with `--size` people, and
those that tell of growth with each number of `--growth` too. Instances are filled once for each, into the
folder for temporary files, and copied below `--kept`, where the next run finds them. `--trial --page PATH`
shows in some minutes whether all benches run, on so few people that the figures say nothing.
"""

import argparse
import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from bench import instances, machine, performance_page
from bench.performance_page import Found

PAGE = machine.ROOT / "docs" / "performance.md"
TELL_OF_GROWTH = ("reads", "searches", "segments", "starts", "import_core")
BENCHES = (*TELL_OF_GROWTH, "import_http", "record_cost", "waits", "change_log", "moves")
QUICK, QUICK_SIZE = ("reads", "searches", "import_core"), 20_000
BESIDE: dict[str, list[str]] = {
    "profiles": [],
    "edge": [],
    "engines": [],
    "engine_segments": [],
    "peers.compared": [],
}
TRIAL_SIZES = 2_000, [1_000, 3_000]
TRIAL = BESIDE | {
    "edge": ["--gigabytes", "0.02"],
    "engines": ["--subscribers", "2000", "--runs", "1", "--requests", "200"],
    "engine_segments": ["--subscribers", "2000", "--runs", "1"],
    "peers.compared": ["--runs", "1"],
}
LEAST_SECONDS, SECONDS_A_THOUSAND = 1_800, 1  # until a bench is given up


class Sizes(NamedTuple):
    """Of people: with how many all is measured, and with how many besides what tells of growth."""

    whole: int
    growth: Sequence[int]


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


def measure(size: int, benches: Iterable[str], runs: int, kept: Path | None = None) -> Found:
    found = Found()
    with _filled(size, kept) as folder:
        for bench in benches:
            options = ["--instance", str(folder), "--subscribers", str(size), "--runs", str(runs)]
            run(found, bench, options, size)
    return found


@contextlib.contextmanager
def _filled(size: int, kept: Path | None) -> Iterator[Path]:
    print(f"{datetime.now(UTC):%H:%M:%S}  {size:,} people", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / str(size)
        if kept and (kept / str(size)).exists():
            shutil.copytree(kept / str(size), folder)  # benches write
        else:
            instances.make(folder, size)
            if kept:
                shutil.copytree(folder, kept / str(size))
        yield folder


def quick() -> None:
    found = measure(QUICK_SIZE, QUICK, 1)
    for bench, rows in found.rows.items():
        print(performance_page.section(bench, rows))
    print(*found.failed.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000, help="people")
    parser.add_argument("--growth", default="100000,5000000", help="numbers of people, with commas between")
    parser.add_argument("--kept", type=Path, help="a folder for instances")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument(
        "--only",
        choices=performance_page.OTHERS,
        action="append",
        help="measure it, and leave the rest of the page",
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--trial", action="store_true")
    options = parser.parse_args()
    if options.quick:
        quick()
    elif options.only:
        write_anew(options.page, {bench: BESIDE[bench] for bench in options.only})
    elif options.trial:
        write(options.page, Sizes(*TRIAL_SIZES), 1, TRIAL, options.kept)
    else:
        growth = [int(size) for size in options.growth.split(",") if size]
        write(options.page, Sizes(options.size, growth), options.runs, BESIDE, options.kept)


def write_anew(page: Path, beside: Mapping[str, Sequence[str]]) -> None:
    facts, found = machine.facts(), Found()
    for bench, options in beside.items():
        run(found, bench, options)
    if found.failed:
        sys.exit(f"{found.failed}: the page is as it was")
    page.write_text(performance_page.anew(page.read_text("utf-8"), facts, found), "utf-8")


def write(
    page: Path, sizes: Sizes, runs: int, beside: Mapping[str, Sequence[str]], kept: Path | None
) -> None:
    facts, others = machine.facts(), Found()
    for bench, options in beside.items():
        run(others, bench, options)
    whole = measure(sizes.whole, BENCHES, runs, kept)
    by_size = {sizes.whole: whole} | {
        size: measure(size, TELL_OF_GROWTH, runs, kept) for size in sizes.growth
    }
    page.write_text(performance_page.page(facts, sizes.whole, by_size, others), "utf-8")
    page.with_suffix(".svg").write_text(performance_page.plot_of(by_size), "utf-8")
    print(f"wrote {page}", file=sys.stderr)


if __name__ == "__main__":
    main()
