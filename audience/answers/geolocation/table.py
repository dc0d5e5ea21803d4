"""The packed table of places. It is packed before it is used if it is missing, outdated or damaged."""

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from audience.answers.geolocation.packed_table import FILE, Damaged, Packed, Place, Tables
from audience.answers.geolocation.packing import pack
from audience.answers.tables import in_effect
from audience.errors import ServiceUnavailable

Pack = Callable[[Path, Tables], None]  # packs; or begins to, and raises `ServiceUnavailable`


class PackedTable:
    """A packed table of places. It is opened at once or, if it is being packed elsewhere, when first read."""

    def __init__(self, path: Path, tables: Tables, packing: Pack) -> None:
        self._path = path
        self._tables = tables
        self._packing = packing
        self._version = tables.version()
        self._lock = threading.Lock()
        self._packed: Packed | None = None
        with suppress(ServiceUnavailable):
            self._open()

    def place(self, number: int) -> Place | None:
        """The place of the address `number` (0 to 2**32 - 1), None if it is unknown.

        Raises `ServiceUnavailable` while the table is being packed elsewhere.
        """
        return (self._packed or self._open()).place(number)

    def _open(self) -> Packed:
        with self._lock:
            if self._packed is None:
                self._packed = self._open_or_pack()
            return self._packed

    def _open_or_pack(self) -> Packed:
        """Opens the packed table. Packs it first if it is missing or damaged."""
        with suppress(Damaged, FileNotFoundError):
            return Packed(self._path, self._version)
        self._packing(self._path, self._tables)
        return Packed(self._path, self._version)


def open_table(instance: Path, folder: Path | None = None, packing: Pack = pack) -> PackedTable:
    """The packed table in the folder `instance`. It is packed from the tables in `folder`, by default those
    in effect.

    With `pack` as `packing`, this takes seconds if the table must be packed. Raises `OSError` if the table
    can be neither read nor written.
    """
    instance.mkdir(parents=True, exist_ok=True)
    source = folder or in_effect(instance)["geolocation"].path
    return PackedTable(instance / FILE, Tables(source), packing)
