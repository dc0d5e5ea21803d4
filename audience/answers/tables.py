"""The bundled tables: the source and date of each."""

import csv
from dataclasses import dataclass
from datetime import date, timedelta
from importlib.resources import files


@dataclass(frozen=True)
class BundledTable:
    """The tables in a folder of `audience/data`; `stale_after` is None if they never become stale."""

    folder: str
    made: date
    stale_after: date | None
    source: str


def bundled() -> list[BundledTable]:
    lines = (files("audience.data") / "tables.csv").read_text("utf-8").splitlines()
    return [_table(row) for row in csv.DictReader(lines)]


def _table(row: dict[str, str]) -> BundledTable:
    made = date.fromisoformat(row["date"])
    stale_after = made + timedelta(days=int(row["fresh_days"])) if row["fresh_days"] else None
    return BundledTable(row["folder"], made, stale_after, row["source"])
