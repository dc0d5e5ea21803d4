"""What the log of consent costs an import of people who are unsubscribed, and a command `unsubscribe`:
`python -m bench.more.consent_log`.

The limit is the same import without the log. CPU time, in turn, the median of the runs; the bound is .95.
Of the commands it is the 99th percentile of the wall clock; the bound is 5 ms more.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from audience.access.sites import Site
from audience.changes import log as changes_log
from audience.subscribers import commands
from bench import import_core, instances
from storage.erasures.log import LOG
from workers import interpreter

CHUNK, BOUND = 500, 0.95  # rows of a transaction, which have an address and a command only
UNSUBSCRIBES, BOUND_MS = 2_000, 5


def microseconds(site: Site, count: int) -> float:
    items = [
        {"email": row["email"], "command": "unsubscribe"} for row in import_core.rows(count, 0, 0, count)
    ]
    return import_core.drained(site, items, CHUNK) / count * 1e6


def milliseconds(site: Site, email: str) -> float:
    """How long the `unsubscribe` of somebody who is subscribed takes."""
    commands.run(site, [{"command": "subscribe", "email": email}])
    before = time.perf_counter()
    commands.run(site, [{"command": "unsubscribe", "email": email}])
    return (time.perf_counter() - before) * 1_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=5_000)
    options.add_argument("--runs", type=int, default=12)
    chosen = options.parse_args()
    interpreter.settle()
    consent_log = vars(changes_log)["consent_log"]
    note, ours, limits = consent_log.note, list[float](), list[float]()
    slow, slow_limits = list[float](), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        instances.make(Path(folder), chosen.rows)
        with instances.open_instance(Path(folder), Path(folder, LOG)) as site:
            for found, noting in ((ours, note), (limits, lambda *_: None)) * chosen.runs:
                consent_log.note = noting
                found.append(microseconds(site, chosen.rows))
            for item in import_core.rows(UNSUBSCRIBES, 0, 0, UNSUBSCRIBES):
                for found, noting in ((slow, note), (slow_limits, lambda *_: None)):
                    consent_log.note = noting
                    found.append(milliseconds(site, item["email"]))
    row, limit = statistics.median(ours), statistics.median(limits)
    print(f"{row:.1f} µs of CPU a row, {limit:.1f} without the log: {limit / row:.3f} (bound {BOUND})")
    p99, p99_limit = (statistics.quantiles(found, n=100)[-1] for found in (slow, slow_limits))
    print(f"p99 of unsubscribe {p99:.2f} ms, {p99_limit:.2f} without the log (bound: {BOUND_MS} ms more)")


if __name__ == "__main__":
    main()
