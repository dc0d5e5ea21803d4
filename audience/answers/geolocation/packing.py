"""Packing the bundled tables into the file that `packed_table.py` describes.

Several processes may begin at once. The process that has the lock builds the file under a temporary name, and
renames it once it is on disk. The others wait for the lock. A process that has opened the old file keeps
using it.

Each region gets the name that `region_names.csv` has for it. The district in brackets is cut off from the
name of a city.
"""

import csv
import fcntl
import logging
import lzma
import os
import threading
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from audience.answers.geolocation.packed_table import (
    DIGEST_BYTES,
    HEAD,
    PLACE,
    RUN_BYTES,
    Damaged,
    Packed,
    Tables,
    new_digest,
)
from audience.errors import ServiceUnavailable, where
from audience.protocols import ChildProcess
from schemas.codes import Code, Sentence

NOT_READY = Sentence(Code.NOT_READY, "The table of places is being prepared: try again in a few seconds.")

RETRY_SECONDS = 5
WAIT_SECONDS = 8.0  # a client may wait for 10
MOST_WAITING = 2  # requests of a process: the others have its threads

log = logging.getLogger(__name__)


def pack(path: Path, tables: Tables) -> None:
    """Packs `tables` into the file `path`, unless an undamaged file of their version is there. Takes
    seconds.
    """
    with _locked(path):
        try:
            Packed(path, tables.version())
        except (Damaged, FileNotFoundError):
            compile_file(path, tables)


def pack_in_child(_source: BinaryIO, _target: BinaryIO, path: str, folder: str) -> None:
    """Runs in the child process: packs the tables of `folder` into `path`. The streams are unused."""
    pack(Path(path), Tables(Path(folder)))


class PackingInChild:
    """Packs tables in a child process, one at a time. A call starts the packing, unless it is under way, and
    raises `ServiceUnavailable` at once.
    """

    def __init__(self, run: ChildProcess) -> None:
        self._run = run
        self._waiting: threading.Thread | None = None
        self._places = threading.BoundedSemaphore(MOST_WAITING)

    def wait(self) -> None:
        """Waits until the packing under way has ended, for at most `WAIT_SECONDS`. Returns at once if
        `MOST_WAITING` threads wait already.
        """
        if self._waiting is not None and self._places.acquire(blocking=False):
            try:
                self._waiting.join(WAIT_SECONDS)
            finally:
                self._places.release()

    def __call__(self, path: Path, tables: Tables) -> None:
        if self._waiting is None or not self._waiting.is_alive():
            self._waiting = threading.Thread(target=self._pack, args=(path, tables), daemon=True)
            self._waiting.start()
        raise ServiceUnavailable(NOT_READY, retry_after=RETRY_SECONDS)

    def _pack(self, path: Path, tables: Tables) -> None:
        try:
            with Path(os.devnull).open("rb") as source, Path(os.devnull).open("wb") as target:
                self._run(pack_in_child, source, target, str(path), str(tables.folder))
        except Exception as error:
            log.error("the table of places cannot be packed: %s", where(error))


def compile_file(path: Path, tables: Tables) -> None:
    """Packs `tables` into the file `path`, atomically. The caller holds `_locked`."""
    version = tables.version()
    countries = tables.countries()
    starts, ids = _runs(tables)
    codes = {country.code2: at for at, country in enumerate(countries)}
    places, offsets = _places(tables, codes, RUN_BYTES * len(starts))
    values = array("I", map(offsets.__getitem__, ids))
    body = starts.tobytes(), values.tobytes(), places
    lines = "".join("\t".join(country) + "\n" for country in countries).encode()
    head = HEAD.pack(b"", version, len(lines), len(starts))[DIGEST_BYTES:] + lines
    digest = new_digest(head)
    for part in body:
        digest.update(part)
    new = path.with_suffix(".new")
    with new.open("wb") as file:
        file.writelines((digest.digest(), head, *body))
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _runs(tables: Tables) -> tuple["array[int]", "array[int]"]:
    """The first address of each run, and its location id. Raises `ValueError` unless the tables cover all
    addresses.
    """
    starts, ids = array("I"), array("I")
    start = 0
    for length, location in _rows(tables.blocks):
        starts.append(start)
        ids.append(int(location))
        start += int(length)
    if start != 1 << 32:
        raise ValueError(f"{tables.blocks} does not cover the IPv4 space")
    return starts, ids


def _places(tables: Tables, countries: dict[str, int], begin: int) -> tuple[bytearray, "array[int]"]:
    """The place records, and the offset of each by its location id. `countries` has the index by country
    code, `begin` is the offset of the first record.
    """
    places, offsets = bytearray(), array("I", [0])
    one_name = tables.region_names()
    for _, country, source_region, detail, latitude, longitude in _rows(tables.locations):
        region = one_name.get((country, source_region), source_region)
        city = detail.partition(" (")[0]
        names = (region + detail).encode()
        sizes = len(region), len(city), len(names)
        record = PLACE.pack(float(latitude), float(longitude), countries[country], *sizes) + names
        offsets.append(begin + len(places))
        places += record
    return places, offsets


def _rows(path: Path) -> Iterator[list[str]]:
    with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        yield from rows


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Holds a lock that only one thread of one process has at a time. It is also released when the process
    exits.
    """
    with path.with_suffix(".lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
