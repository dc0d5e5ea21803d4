"""The IPv4 address space at city precision, packed into one file that all processes map into memory.

The file, in the machine's own byte order:

* head: `HEAD`, the countries as text, one digest per page of the body, and a digest of all that;
* body: `index`, for each of the 65,536 networks a.b.0.0/16 the number of its first run (and at the end the
  number of runs); `lows`, the lower 16 bits of the first address of each run; `values`, for each run where in
  the body its place record begins, 0 if the place is unknown; then the records, `PLACE` and the names of
  region and city, with what the source adds to the city, none of which crosses a page's edge. A run of the
  tables is cut at the edges of the /16s.

**Damage is detected before use.** A digest of all 40 MB would make opening slow, so each page has its own.
Opening verifies the size, the version and the head; before its first look-up in a /16, a process verifies the
pages that this /16 uses. If one is damaged, the file is rebuilt from the tables, and then used.

**Versioned.** The version is a digest of `FORMAT`, the byte order, the countries, the names of regions, and
the size and last bytes of the two `.xz` tables: an .xz of one block ends with the CRC-64 of its content, so
it need not be read in full. A file with another version is rebuilt.

`packing.py` writes the file.
"""

import csv
import mmap
import os
import struct
import sys
from bisect import bisect_right
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from audience.answers.tables import BUNDLED

DATA = BUNDLED / "geolocation"
FILE = "geo.table"
FORMAT = b"audience geo table 2"
HEAD = struct.Struct("=16sIII")  # version; bytes of countries, bytes of body, number of runs
PLACE = struct.Struct(
    "=ddHBBH"
)  # latitude, longitude, country; characters of region and city, bytes of names
PAGE_BYTES = 1 << 14
DIGEST_BYTES = 16
NETWORKS = 1 << 16
XZ_TAIL = 64  # holds the check, the index and the footer of a one-block .xz


class Damaged(Exception):
    """The packed file is damaged, or was built from other tables."""


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
    """The bundled tables; the README in `folder` describes the files."""

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
        """The one name of a region, by country code and the source's other names for it."""
        with (self.folder / "region_names.csv").open(encoding="utf-8", newline="") as file:
            return {(row["code2"], row["source"]): row["name"] for row in csv.DictReader(file)}

    def version(self) -> bytes:
        digest = blake2b(FORMAT + sys.byteorder.encode(), digest_size=DIGEST_BYTES)
        for name in ("countries.csv", "region_names.csv"):
            digest.update((self.folder / name).read_bytes())
        for path in (self.blocks, self.locations):
            with path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(-min(size, XZ_TAIL), os.SEEK_END)
                digest.update(size.to_bytes(8) + file.read())
        return digest.digest()


def digest_of(data: bytes | bytearray | memoryview) -> bytes:
    return blake2b(data, digest_size=DIGEST_BYTES).digest()


class Packed:
    """An open file. Raises `Damaged`, and OSError if it is missing."""

    def __init__(self, path: Path, version: bytes) -> None:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < HEAD.size:
                raise Damaged("too short")
            view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        built, country_bytes, body_bytes, runs = HEAD.unpack_from(view)
        if built != version:
            raise Damaged("another version")
        pages = HEAD.size + country_bytes
        end = pages + DIGEST_BYTES * -(-body_bytes // PAGE_BYTES)
        body = aligned(end + DIGEST_BYTES)
        if size != body + body_bytes or digest_of(view[:end]) != view[end : end + DIGEST_BYTES]:
            raise Damaged("head or size")
        lines = str(view[HEAD.size : pages], "utf-8").splitlines()
        self.countries = [Country(*line.split("\t")) for line in lines]
        self._digests = view[pages:end]
        self._body = view[body:]
        self._lows_at, self._values_at, self._places_at = sections(runs)
        self._index = self._body[: self._lows_at].cast("I")
        self._lows = self._body[self._lows_at : self._lows_at + 2 * runs].cast("H")
        self._values = self._body[self._values_at : self._places_at].cast("I")
        self._verified_networks = bytearray(NETWORKS)
        self._verified_pages = bytearray(len(self._digests) // DIGEST_BYTES)

    def place(self, number: int) -> Place | None:
        """The place of the address `number` (0 to 2**32 - 1), None if it is unknown."""
        network = number >> 16
        if not self._verified_networks[network]:
            self._verify_network(network)
        index = self._index
        run = bisect_right(self._lows, number & 0xFFFF, index[network], index[network + 1]) - 1
        offset = self._values[run]
        if not offset:
            return None
        latitude, longitude, country, region, city, size = PLACE.unpack_from(self._body, offset)
        start = offset + PLACE.size
        names = str(self._body[start : start + size], "utf-8")
        detail = names[region:]
        return self.countries[country], names[:region], detail[:city], detail, latitude, longitude

    def verify(self) -> None:
        """Verifies every page."""
        self._verify(0, len(self._body))

    def _verify_network(self, network: int) -> None:
        self._verify(4 * network, 4 * network + 8)
        first, last = self._index[network], self._index[network + 1]
        self._verify(self._lows_at + 2 * first, self._lows_at + 2 * last)
        self._verify(self._values_at + 4 * first, self._values_at + 4 * last)
        for page in {offset // PAGE_BYTES for offset in self._values[first:last] if offset}:
            self._verify(page * PAGE_BYTES, page * PAGE_BYTES + 1)
        self._verified_networks[network] = True

    def _verify(self, start: int, end: int) -> None:
        """Verifies the pages that contain the bytes `start` to `end` of the body."""
        for page in range(start // PAGE_BYTES, -(-end // PAGE_BYTES)):
            if not self._verified_pages[page]:
                at = page * DIGEST_BYTES
                if (
                    digest_of(self._body[page * PAGE_BYTES : (page + 1) * PAGE_BYTES])
                    != self._digests[at : at + DIGEST_BYTES]
                ):
                    raise Damaged(f"page {page}")
                self._verified_pages[page] = True


def sections(runs: int) -> tuple[int, int, int]:
    """The offsets of lows, values and places in the body."""
    lows = 4 * (NETWORKS + 1)
    values = lows + -(-2 * runs // 4) * 4
    return lows, values, values + 4 * runs


def aligned(size: int) -> int:
    return -(-size // PAGE_BYTES) * PAGE_BYTES
