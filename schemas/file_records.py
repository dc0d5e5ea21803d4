"""The rows of a file that an operator sent, as they stand in it, so that a single one can be made blank."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from schemas.base import MAX_DEPTH, Doubled, FormError, depth, load
from schemas.file_imports import BY_SUFFIX, ImportFile, reading
from schemas.formats import csv_values, encodings, files, readers, tables, workbook
from schemas.formats.columns import Column
from schemas.formats.readings import Reading
from schemas.formats.refusals import FileRefused
from schemas.formats.tables import CSV, JSON_LINES, XLSX, Run, Table
from schemas.values import compact_json


@dataclass(frozen=True)
class FileRecord:
    """A row of a file: the `cells` that may contain its subscriber's address, and where its bytes `start`.

    `blank` has as many bytes, which can replace the row without changing anything else in the file. It is
    empty if none can.
    """

    cells: list[str]
    start: int = 0
    blank: bytes = b""


def kept_records(
    run: Run, name: str, parameters: Mapping[str, Any], binary: BinaryIO, unpacked: BinaryIO
) -> Generator[FileRecord, None, None]:
    """The rows of a file, which is read by the `parameters`; those of all sheets of a workbook.

    Until the column of addresses is known, `cells` has all cells. Raises `FormError`.
    """
    kind = BY_SUFFIX.get(Path(name).suffix.lower())
    meant = reading(load(ImportFile(), dict(parameters)), "UTC")
    table = tables.open_table(binary, kind, replace(meant, sheet=None), run, unpacked)
    if table.kind in (CSV, JSON_LINES):
        yield from _lines(table, _address_columns(table, meant))
    elif table.kind == XLSX:
        yield from _sheets(run, table, binary, unpacked)
    else:
        yield from (FileRecord(_texts(value)) for _, value in table.records())


def _address_columns(table: Table, meant: Reading) -> list[Column]:
    try:
        _, columns = files.plan_columns(table, meant)
    except FormError:
        return []
    return [column for column in columns if column.meaning == "email"]


def _sheets(run: Run, table: Table, binary: BinaryIO, unpacked: BinaryIO) -> Iterator[FileRecord]:
    if len(table.sheets) >= workbook.MAX_NAMES:
        raise FileRefused(workbook.TOO_LARGE)
    for position in range(1, len(table.sheets) + 1):
        unpacked.seek(0)
        unpacked.truncate()
        workbook.unpack(run, binary, unpacked, str(position))
        yield from (FileRecord(_texts(cells)) for _, cells in readers.sheet_records(unpacked))


def _lines(table: Table, columns: list[Column]) -> Iterator[FileRecord]:
    codec, mark = table.encoding, table.delimiter or " "
    with encodings.reading(table.binary, codec) as text:
        start = table.binary.tell()
        records = readers.raw_records(text, mark) if table.kind == CSV else tables.raw_lines(text)
        for raw, record in records:
            size = len(raw.rstrip("\r\n").encode(codec, "replace"))
            blank = mark.encode(codec, "replace")
            cells = (
                [] if isinstance(record, Doubled) else [table.cell_of(record, column) for column in columns]
            )
            cells = cells or _texts(record)
            divides = size % len(blank) == 0
            yield FileRecord(_addresses(cells), start, blank * (size // len(blank)) if divides else b"")
            start += len(raw.encode(codec, "replace"))


def _texts(value: Any) -> list[str]:
    """All texts in a record."""
    if depth(value) > MAX_DEPTH:
        return [compact_json(value)]
    if isinstance(value, dict):
        doubled = [*value.doubled.values()] if isinstance(value, Doubled) else []
        return [text for member in (*value.values(), *doubled) for text in _texts(member)]
    if isinstance(value, list):
        return [text for member in value for text in _texts(member)]
    return _addresses([value if isinstance(value, str) else compact_json(value)])


def _addresses(cells: list[str]) -> list[str]:
    """The cells, and the addresses that an import reads in them."""
    addresses = (address for cell in cells for address in csv_values.addresses_in(cell))
    return list(dict.fromkeys([*cells, *map(csv_values.read_address, cells), *addresses]))
