"""What links cost an export: seconds of CPU more for a million rows: `python -m bench.more.export_links`.

The same export of all subscribers as CSV with and without links, in turn, the median of the runs.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from audience.links.links import Links
from audience.searches import exports
from bench import instances
from schemas import exports as wire
from workers import interpreter

GOAL_SECONDS = 15


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--subscribers", type=int, default=200_000)
    options.add_argument("--runs", type=int, default=5)
    chosen = options.parse_args()
    interpreter.settle()
    seconds: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder:
        instances.make(Path(folder), chosen.subscribers)
        with instances.open_instance(Path(folder)) as site:
            links = Links(site, "https://people.example")
            more = {False: (), True: (lambda row: links.urls(row.uuid, row.email_key),)}
            for has_links in (False, True) * chosen.runs:
                start = time.process_time()
                for _ in wire.WRITERS["csv"](exports.keys(site), exports.pages(site), *more[has_links]):
                    pass
                seconds[has_links].append((time.process_time() - start) / chosen.subscribers * 1e6)
    plain, linked = (statistics.median(seconds[has_links]) for has_links in (False, True))
    print(f"{plain:.1f} s a million rows, {linked - plain:.1f} s more with links (goal {GOAL_SECONDS})")


if __name__ == "__main__":
    main()
