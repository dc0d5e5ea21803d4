"""What the log of consent costs an import of people who are unsubscribed: `python -m bench.more.consent_log`.

The limit is the same import without the log. CPU time, in turn, the median of the runs; the bound is .95.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

from audience.access.sites import Site
from audience.changes import log as changes_log
from bench import import_core, instances
from workers import interpreter

CHUNK, BOUND = 500, 0.95  # rows of a transaction, which have an address and a command only


def microseconds(site: Site, count: int) -> float:
    items = [
        {"email": row["email"], "command": "unsubscribe"} for row in import_core.rows(count, 0, 0, count)
    ]
    return import_core.drained(site, items, CHUNK) / count * 1e6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=5_000)
    options.add_argument("--runs", type=int, default=12)
    chosen = options.parse_args()
    interpreter.settle()
    consent_log = vars(changes_log)["consent_log"]
    note, ours, limits = consent_log.note, list[float](), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        instances.make(Path(folder), chosen.rows)
        with instances.open_instance(Path(folder)) as site:
            for found, noting in ((ours, note), (limits, lambda *_: None)) * chosen.runs:
                consent_log.note = noting
                found.append(microseconds(site, chosen.rows))
    row, limit = statistics.median(ours), statistics.median(limits)
    print(f"{row:.1f} µs of CPU a row, {limit:.1f} without the log: {limit / row:.3f} (bound {BOUND})")


if __name__ == "__main__":
    main()
