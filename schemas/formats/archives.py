"""Exports that come as a zip archive: the files of subscribers in it are put together as one table
(docs/moving-in.md).

This runs in the child process that reads workbooks. `zipfile` reads no more of a member than the archive's
directory says.
"""

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from schemas.formats.csv_values import read_value
from schemas.formats.presets import STATE_COLUMN, UNSUBSCRIBED_FILES
from schemas.formats.readers import MAX_LENGTH
from schemas.formats.refusals import FileRefused

MAX_INFLATED = 512 * 2**20  # bytes
SUBSCRIBED = "subscribed_"
MAILCHIMP = (SUBSCRIBED, *UNSUBSCRIBED_FILES)  # how the names of Mailchimp's files begin
SUBSTACK = "email_list."
WORKBOOK = "[content_types].xml"
NOT_UTF8 = "A file of the archive is not UTF-8: unpack it, and import each file by itself."
TOO_LARGE = "The archive is too large to be read whole: unpack it, and import each file by itself."


def members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files of subscribers in an export from Mailchimp or Substack; empty for other archives."""
    parts = {part.filename: PurePosixPath(part.filename.lower()).name for part in archive.infolist()}
    if WORKBOOK in parts.values():
        return []
    tables = {part: name for part, name in parts.items() if name.endswith(".csv")}
    for begins in (MAILCHIMP, SUBSTACK):
        if infos := [archive.getinfo(part) for part, name in tables.items() if name.startswith(begins)]:
            return infos
    return []


def write_rows(
    archive: zipfile.ZipFile, parts: Sequence[zipfile.ZipInfo], target: BinaryIO
) -> dict[str, Any]:
    """Writes the rows of all files (`parts`) to `target` as one table. Returns the fields of a `Workbook`.

    It has the columns of all files, and one for the state of subscribers if the files' names tell it. Raises
    `FileRefused`.
    """
    if sum(part.file_size for part in parts) > MAX_INFLATED:
        raise FileRefused(TOO_LARGE)
    headers = [next(_records(archive, part), []) for part in parts]
    columns = list(dict.fromkeys(name for header in headers for name in header))
    of_states = any(_state(part) for part in parts)
    names = [*columns, STATE_COLUMN] if of_states else columns
    number = 1
    _write(target, number, names)
    for part, header in zip(parts, headers, strict=True):
        positions = [columns.index(name) for name in header]
        records = _records(archive, part)
        next(records, None)
        for record in records:
            cells: list[Any] = [""] * len(columns)
            for position, cell in zip(positions, record, strict=False):
                value = read_value(cell)
                cells[position] = cell if isinstance(value, str | list | dict) else value
            number += 1
            state = [_state(part)] if of_states else []
            _write(target, number, [*cells, *state, *record[len(header) :]])
    return {"sheet": "", "sheets": [], "not_computed": []}


def _state(part: zipfile.ZipInfo) -> str:
    """The state of all subscribers in a file, with which its name begins; "" without one."""
    name = PurePosixPath(part.filename.lower()).name
    return next((begins.rstrip("_") for begins in MAILCHIMP if name.startswith(begins)), "")


def _records(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> Iterator[list[str]]:
    csv.field_size_limit(MAX_LENGTH)
    with archive.open(part) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        try:
            yield from (record for record in csv.reader(text) if any(record))
        except UnicodeDecodeError as error:
            raise FileRefused(NOT_UTF8) from error


def _write(target: BinaryIO, number: int, cells: Sequence[Any]) -> None:
    target.write(f"{json.dumps([number, cells], ensure_ascii=False)}\n".encode())
