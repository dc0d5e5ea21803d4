"""The IPv4 address space at city precision, packed into one file that all processes map into memory.

The numbers in the file are in the machine's own byte order. It has three parts:

* `HEAD`, which begins with the digest of everything after it, and the countries as text.
* The runs of addresses that have the same place. `starts` has the first address of each run. `values` has the
  offset of its place record, 0 if the place is unknown. The offset counts from the beginning of `starts`.
* The place records: each is a `PLACE`, the names of region and city, and what the source adds to the city.

A file with a wrong digest, or of another version, is built anew. The version is a digest of `FORMAT`, the
byte order and the tables.

`packing.py` writes the file.
"""

import csv
import mmap
import struct
import sys
from bisect import bisect_right
from dataclasses import dataclass
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import NamedTuple

from audience.answers.tables import BUNDLED

DATA = BUNDLED / "geolocation"
FILE = "geo.table"
FORMAT = b"audience geo table 4"
HEAD = struct.Struct("=16s16sII")  # digest; version; bytes of countries, number of runs
PLACE = struct.Struct(
    "=ddHBBH"
)  # latitude, longitude, country; characters of region and city, bytes of names
DIGEST_BYTES = 16
RUN_BYTES = 8


class Damaged(Exception):
    """The packed file is damaged, of another version, or was made from other tables."""


class Country(NamedTuple):
    code2: str
    code3: str
    continent_code: str
    name: str


# Country, region, city, the source's text for it, latitude and longitude in degrees; unknown names are empty,
# unknown degrees None. Not a named tuple, which would take a fifth of the time of a look-up.
Place = tuple[Country, str, str, str, float | None, float | None]


@dataclass(frozen=True)
class Tables:
    """The tables in `folder`, by default the bundled ones. The README there describes the files."""

    folder: Path = DATA

    @property
    def blocks(self) -> Path:
        return self.folder / "blocks_delta.csv.xz"

    @property
    def locations(self) -> Path:
        return self.folder / "locations.csv.xz"

    def countries(self) -> list[Country]:
        with (self.folder / "countries.csv").open(encoding="utf-8", newline="") as file:
            return [Country(*row) for row in csv.reader(file)][1:]

    def region_names(self) -> dict[tuple[str, str], str]:
        """The one name by which each region is called, by country code and the name that the source uses."""
        with (self.folder / "region_names.csv").open(encoding="utf-8", newline="") as file:
            return {(row["code2"], row["source"]): row["name"] for row in csv.DictReader(file)}

    def version(self) -> bytes:
        digest = new_digest(FORMAT + sys.byteorder.encode())
        for name in ("countries.csv", "region_names.csv", self.blocks.name, self.locations.name):
            with (self.folder / name).open("rb") as file:
                file_digest(file, lambda: digest)  # which updates it
        return digest.digest()


def new_digest(data: bytes = b"") -> blake2b:
    return blake2b(data, digest_size=DIGEST_BYTES)


class Packed:
    """A packed file, opened. Raises `Damaged` if it is damaged or of another version, and `OSError` if it
    cannot be read.
    """

    def __init__(self, path: Path, version: bytes) -> None:
        with path.open("rb") as file:
            digest = file.read(DIGEST_BYTES)
            if file_digest(file, new_digest).digest() != digest:
                raise Damaged("another digest")
            view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        _, built, country_bytes, runs = HEAD.unpack_from(view)
        if built != version:
            raise Damaged("another version")
        body = HEAD.size + country_bytes
        lines = str(view[HEAD.size : body], "utf-8").splitlines()
        self.countries = [Country(*line.split("\t")) for line in lines]
        self._body = view[body:]
        self._starts = self._body[: 4 * runs].cast("I")
        self._values = self._body[4 * runs : RUN_BYTES * runs].cast("I")

    def place(self, number: int) -> Place | None:
        """The place of the address `number` (0 to 2**32 - 1), None if it is unknown."""
        offset = self._values[bisect_right(self._starts, number) - 1]
        if not offset:
            return None
        latitude, longitude, country, region, city, size = PLACE.unpack_from(self._body, offset)
        start = offset + PLACE.size
        names = str(self._body[start : start + size], "utf-8")
        detail = names[region:]
        return self.countries[country], names[:region], detail[:city], detail, latitude, longitude
