"""The drain of an earlier commit, which knows SQLite alone: run in its tree, by a Python with its packages.

`earlier_drain.py INSTANCE` reads lines of JSON, each the items of an import. It drains them in chunks of 500
and answers each line with its seconds, and those of CPU. Its names are those of that commit: they stay.
"""

# mypy: disable-error-code="attr-defined"

import json
import sys
import time
from pathlib import Path
from typing import Any

from audience import imports, pepper, sites
from audience.config import Settings
from storage import database

BATCH = 1_000


class Doorbell:
    """Nobody comes: this process drains."""

    def ring(self, site_id: int) -> None:
        pass


def accept(site: Any, items: list[Any]) -> None:
    for first in range(0, len(items), BATCH):
        batch = list(enumerate(items[first : first + BATCH]))
        imports.accept(site, batch, [], Doorbell(), 0)


def drained(site: Any, items: list[Any]) -> tuple[float, float]:
    accept(site, items)
    cpu, began = time.process_time(), time.perf_counter()
    while imports.drain(site.id, 3600):
        pass
    return time.perf_counter() - began, time.process_time() - cpu


def main() -> None:
    instance = Path(sys.argv[1])
    pepper.open(instance)
    database.open(Settings(instance=instance).database)
    database.migrate()
    site = sites.create("bench")
    for line in sys.stdin:
        print(json.dumps(drained(site, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
