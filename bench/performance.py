"""`make bench` writes docs/performance.md; `make bench-quick` prints small ratios in two minutes.

Each bench is a process of its own; one that fails is named on the page. Instances are filled once for each
size, into the folder for temporary files.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bench import instances, machine, performance_page
from bench.performance_page import Found

PAGE = machine.ROOT / "docs" / "performance.md"
BENCHES = ("reads", "searches", "segments", "starts", "import_core", "import_http", "waits")
QUICK, QUICK_SIZE = ("reads", "searches", "import_core"), 20_000
TIMEOUT_SECONDS = 900


def run(found: Found, bench: str, *options: str) -> None:
    print(f"  {bench} {' '.join(options)}", file=sys.stderr, flush=True)
    program = [sys.executable, "-m", f"bench.{bench}", "--json", *options]
    try:
        done = subprocess.run(program, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_SECONDS, check=True)
        found.rows[bench] = json.loads(done.stdout)
    except (subprocess.SubprocessError, ValueError) as error:
        found.failed[bench] = type(error).__name__


def measure(size: int, benches: Iterable[str], runs: int) -> Found:
    found = Found()
    with tempfile.TemporaryDirectory() as folder:
        print(f"{size:,} people", file=sys.stderr, flush=True)
        instances.make(Path(folder), size)
        for bench in benches:
            run(found, bench, "--instance", folder, "--subscribers", str(size), "--runs", str(runs))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="100000,1000000", help="numbers of people, with commas between")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--without-peers", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.quick:
        found = measure(QUICK_SIZE, QUICK, 1)
        print("\n".join(performance_page.section(bench, rows) for bench, rows in found.rows.items()))
        print(*found.failed.items())
        return
    facts, others = machine.facts(), Found()
    run(others, "profiles")
    if not options.without_peers:
        run(others, "peers.compared")
    sizes = {size: measure(size, BENCHES, options.runs) for size in map(int, options.sizes.split(","))}
    PAGE.write_text(performance_page.page(facts, sizes, others), "utf-8")
    PAGE.with_suffix(".svg").write_text(performance_page.plot_of(sizes), "utf-8")
    print(f"wrote {PAGE}", file=sys.stderr)


if __name__ == "__main__":
    main()
