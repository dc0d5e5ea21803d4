"""Reading files of subscribers: format, columns, and rows validated by the import form (docs/files.md).

Memory is constant: a file is read line by line; lines, cells and JSON objects have at most
`readers.MAX_LENGTH` characters.
"""

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TextIO

import marshmallow as ma

from schemas.base import MAX_DEPTH, FormError, InstantField, depth, load
from schemas.formats import readers
from schemas.formats.csv_columns import NOTES, Column, normal, plan, refusal
from schemas.imports import ImportItem, ImportSchema, import_, plain_item
from schemas.responses import ResponseSchema, single
from schemas.values import DATE, DATES, FieldError

CSV, JSON_LINES, JSON_ARRAY = "csv", "jsonl", "json"
KINDS = {
    "text/csv": CSV,
    "application/csv": CSV,
    "text/tab-separated-values": CSV,
    "application/x-ndjson": JSON_LINES,
    "application/ndjson": JSON_LINES,
    "application/jsonl": JSON_LINES,
    "application/x-jsonlines": JSON_LINES,
}
BY_SUFFIX = {".csv": CSV, ".tsv": CSV, ".jsonl": JSON_LINES, ".ndjson": JSON_LINES}

EMPTY = "The file is empty: send one with a header row, or with JSON objects."
RAGGED = "The row has more cells than the header: put quotes around cells that contain the delimiter."
NOT_AN_OBJECT = f"Write one JSON object, at most {MAX_DEPTH} levels deep, on a line."

Check = Callable[[str], Any]


@dataclass(slots=True)
class FileRow:
    """A row: the `item` to import, or the `code` and `message` of its error.

    `row_number` counts spreadsheet rows (the header is row 1), lines of JSON lines, or objects of an array.
    `cells` of a refused row are unchanged, in the order of the file's columns.
    """

    row_number: int
    raw: Any
    email: str = ""
    item: dict[str, Any] | None = None
    code: str = ""
    message: str = ""
    cells: list[str] = field(default_factory=list)

    def refuse(self, code: str, message: str) -> None:
        self.item, self.code, self.message = None, code, message


@dataclass(frozen=True)
class File:
    """An inspected file. The `columns` of JSON grow with its refused rows."""

    kind: str
    encoding: str
    delimiter: str | None
    columns: list[str]
    binary: BinaryIO
    renames: Mapping[str, str]

    def rows(self, check: Check) -> Generator[FileRow, None, None]:
        """The rows that are not blank; `check` raises `ValueError` on a malformed address.

        Raises `FormError` when the rest of the file cannot be read.
        """
        with readers.reading(self.binary, self.encoding) as text:
            read = {CSV: self._csv, JSON_LINES: self._json_lines, JSON_ARRAY: self._json_array}[self.kind]
            for row in read(text):
                _check_row(row, check)
                if row.item is None:
                    row.cells = self._cells(row.raw)
                yield row

    def _csv(self, text: TextIO) -> Iterator[FileRow]:
        columns, width = plan(self.columns, self.renames), len(self.columns)
        records = readers.records(text, self.delimiter or ",")
        next(records)
        for number, record in records:
            if any(record):
                yield _from_cells(number, record, columns, width)

    def _json_lines(self, text: TextIO) -> Iterator[FileRow]:
        for number, line in enumerate(readers.lines(text), 1):
            if line.strip():
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError):
                    value = line.strip()
                yield self._from_object(number, value)

    def _json_array(self, text: TextIO) -> Iterator[FileRow]:
        for number, value in enumerate(readers.array(text), 1):
            yield self._from_object(number, value)

    def _from_object(self, number: int, value: Any) -> FileRow:
        row = FileRow(number, value)
        if not isinstance(value, dict) or depth(value) > MAX_DEPTH:
            row.refuse("invalid_json", NOT_AN_OBJECT)
            return row
        item = {self.renames.get(normal(key), key): cell for key, cell in value.items() if key not in NOTES}
        row.email = item["email"] if isinstance(item.get("email"), str) else ""
        row.item = item
        return row

    def _cells(self, value: Any) -> list[str]:
        if self.kind == CSV:
            return list(value)
        values = value if isinstance(value, dict) else {"line": value}
        known = set(self.columns)
        self.columns.extend(key for key in values if key not in known)
        return [cell_text(values.get(column)) for column in self.columns]


def inspect(binary: BinaryIO, kind: str | None = None, renames: Mapping[str, str] | None = None) -> File:
    """Detects encoding, columns and, unless passed, the kind of a file. Raises `FormError`.

    `renames` maps column names to the names that this service uses.
    """
    encoding = readers.encoding(binary)
    with readers.reading(binary, encoding) as text:
        start = text.read(readers.SAMPLE_LENGTH).lstrip()
    if not start and kind != JSON_LINES:
        raise refusal(EMPTY)
    kind = kind or {"[": JSON_ARRAY, "{": JSON_LINES}.get(start[0], CSV)
    by_name = {normal(name): meaning for name, meaning in (renames or {}).items()}
    if kind != CSV:
        return File(kind, encoding, None, [], binary, by_name)
    candidates = [(mark, readers.header(binary, encoding, mark)) for mark in readers.DELIMITERS]
    delimiter, columns = max(candidates, key=lambda pair: (_has_email(pair[1], by_name), len(pair[1])))
    plan(columns, by_name)
    return File(kind, encoding, delimiter, columns, binary, by_name)


def _has_email(columns: Sequence[str], renames: Mapping[str, str]) -> bool:
    return "email" in [normal(renames.get(normal(name), name)) for name in columns]


def _from_cells(number: int, record: list[str], columns: Sequence[Column], width: int) -> FileRow:
    row = FileRow(number, record)
    item: dict[str, Any] = {}
    custom: dict[str, Any] = {}
    for column in columns:
        cell = record[column.index] if column.index < len(record) else ""
        if cell:
            (custom if column.custom else item)[column.key] = column.read(cell)
    if custom:
        item["fields"] = item.get("fields", {}) | custom if "fields" in item else custom
    row.email, row.item = item.get("email", ""), item
    if any(record[width:]):
        row.refuse("ragged_row", RAGGED)
    return row


FORM = ImportItem()
INSTANT = InstantField()


def _check_row(row: FileRow, check: Check) -> None:
    """Validates a row, and refuses it on an error."""
    if row.item is None:
        return
    raw = row.item
    try:
        item = plain_item(raw) or load(FORM, raw)
        check(item["email"])
        row.item = item | _dates(raw)
    except FormError as error:
        field = error.problems[0].field.partition(".")[0] or "row"
        missing = field == "email" and not row.email.strip()
        message = "; ".join(f"{problem.field}: {problem.message}" for problem in error.problems)
        row.refuse("missing_email" if missing else f"invalid_{field}", message)
    except ValueError as error:
        row.refuse("invalid_email", str(error))


def _dates(item: Mapping[str, Any]) -> dict[str, int]:
    dates = {}
    for name in DATES:
        value = item.get(name)
        if value is not None and value != "":
            try:
                dates[name] = INSTANT.deserialize(value)
            except ma.ValidationError as error:
                raise FormError([FieldError(name, DATE)]) from error
    return dates


def cell_text(value: Any) -> str:
    """A JSON value as the text of a cell."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class FileMeta(ResponseSchema):
    format = ma.fields.String(validate=ma.validate.OneOf((CSV, JSON_LINES, JSON_ARRAY)))
    encoding = ma.fields.String(allow_none=True)
    delimiter = ma.fields.String(allow_none=True)


ReceivedFile = single("ReceivedFile", ImportSchema, meta=ma.fields.Nested(FileMeta))


def received(row: Any, file: File) -> dict[str, Any]:
    """The import of a file, and the detected format."""
    return {
        "data": import_(row),
        "meta": {"format": file.kind, "encoding": file.encoding, "delimiter": file.delimiter},
    }
