"""Writes DB-IP's two tables in `audience/data/geolocation`."""

import tempfile
from pathlib import Path

from audience.answers.geolocation.packed_table import DATA
from audience.operations import place_tables
from tables.registry import npm

VERSION = "2.3.2026060513"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / place_tables.DATABASE
        database.write_bytes(npm(f"{place_tables.PACKAGE}@{VERSION}")[place_tables.DATABASE])
        place_tables.write(database, DATA)


if __name__ == "__main__":
    main()
