"""The tables in effect: the bundled ones, or newer ones that `audience tables renew` has made for an
instance.
"""

import csv
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from audience.config import SettingError

BUNDLED = Path(__file__).parents[1] / "data"
RENEWED = Path("tables", "current")  # in the instance: a link to the folder of the last renewal
LIST = "tables.csv"


@dataclass(frozen=True)
class TableFolder:
    """A folder of tables that were made on the same day. They become stale after `fresh_days`, or never if
    this is None.
    """

    folder: str
    path: Path
    made: date
    fresh_days: int | None
    source: str

    def is_stale(self, today: date) -> bool:
        return self.fresh_days is not None and today > self.made + timedelta(days=self.fresh_days)


def rows(table: str) -> list[dict[str, str]]:
    """The rows of a bundled table, such as `gender/origins`."""
    with (BUNDLED / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def lines(text: str) -> list[str]:
    """The lines of a bundled text, such as `validation/relays`."""
    return (BUNDLED / f"{text}.txt").read_text("utf-8").splitlines()


def bundled() -> dict[str, TableFolder]:
    return _tables(BUNDLED)


def in_effect(instance: Path) -> dict[str, TableFolder]:
    """The tables in use, by folder. Those that the instance has renewed are used unless the bundled ones are
    newer. Raises `SettingError` if the renewed ones cannot be read.
    """
    tables = bundled()
    folder = (instance / RENEWED).resolve()
    try:
        renewed = _tables(folder) if folder.is_dir() else {}
    except (OSError, ValueError, KeyError) as error:
        raise SettingError(
            f"{folder} has no tables: delete the folder {folder.parent}, or run `audience tables renew`"
        ) from error
    return tables | {name: table for name, table in renewed.items() if table.made >= tables[name].made}


def _tables(folder: Path) -> dict[str, TableFolder]:
    with (folder / LIST).open(encoding="utf-8", newline="") as file:
        return {row["folder"]: _table(row, folder) for row in csv.DictReader(file)}


def _table(row: dict[str, str], folder: Path) -> TableFolder:
    fresh_days = int(row["fresh_days"]) if row["fresh_days"] else None
    name, made = row["folder"], date.fromisoformat(row["date"])
    return TableFolder(name, folder / name, made, fresh_days, row["source"])
