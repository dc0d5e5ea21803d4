"""Files of people: what a file is, its columns, and its rows through the form of an import (docs/files.md).

Memory is constant: a file is read line by line, and no line, cell or JSON object is longer than `LONGEST`.
"""

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TextIO

import marshmallow as ma

from schemas import texts
from schemas.columns import NOTES, Column, normal, plan, refusal
from schemas.imports import Import, import_
from schemas.shapes import Answer, one
from schemas.subscribers import DATES, ImportItem, plain_item
from schemas.wire import DATE, DEEPEST, FormError, Instant, Problem, depth, load

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

EMPTY = "The file is empty: send one with a row of column names, or with JSON objects."
RAGGED = "The row has more cells than there are columns: put a cell that has a delimiter in it into quotes."
NOT_AN_OBJECT = "Write one JSON object, at most 64 levels deep, on a line."

Check = Callable[[str], Any]


@dataclass(slots=True)
class Row:
    """One row: the `item` to import, or what is wrong with it.

    `row_number` counts the rows of a spreadsheet (the column names are row 1), the lines of JSON lines, or
    the objects of an array. Of a refused row, `cells` are as the file has them, in its columns' order.
    """

    row_number: int
    given: Any
    email: str = ""
    item: dict[str, Any] | None = None
    code: str = ""
    message: str = ""
    cells: list[str] = field(default_factory=list)

    def refuse(self, code: str, message: str) -> None:
        self.item, self.code, self.message = None, code, message


@dataclass(frozen=True)
class File:
    """A file that has been looked at. The `columns` of JSON grow with its refused rows."""

    kind: str
    encoding: str
    delimiter: str | None
    columns: list[str]
    binary: BinaryIO
    renames: Mapping[str, str]

    def rows(self, check: Check) -> Generator[Row, None, None]:
        """Every row that is not blank; `check` raises `ValueError` on a malformed address.

        Raises `FormError` where the file as a whole cannot be read on.
        """
        with texts.reading(self.binary, self.encoding) as text:
            read = {CSV: self._csv, JSON_LINES: self._json_lines, JSON_ARRAY: self._json_array}[self.kind]
            for row in read(text):
                _judge(row, check)
                if row.item is None:
                    row.cells = self._cells(row.given)
                yield row

    def _csv(self, text: TextIO) -> Iterator[Row]:
        columns, width = plan(self.columns, self.renames), len(self.columns)
        records = texts.records(text, self.delimiter or ",")
        next(records)
        for number, record in records:
            if any(record):
                yield _from_cells(number, record, columns, width)

    def _json_lines(self, text: TextIO) -> Iterator[Row]:
        for number, line in enumerate(texts.lines(text), 1):
            if line.strip():
                try:
                    given = json.loads(line)
                except (ValueError, RecursionError):
                    given = line.strip()
                yield self._from_object(number, given)

    def _json_array(self, text: TextIO) -> Iterator[Row]:
        for number, given in enumerate(texts.array(text), 1):
            yield self._from_object(number, given)

    def _from_object(self, number: int, given: Any) -> Row:
        row = Row(number, given)
        if not isinstance(given, dict) or depth(given) > DEEPEST:
            row.refuse("invalid_json", NOT_AN_OBJECT)
            return row
        item = {self.renames.get(normal(key), key): value for key, value in given.items() if key not in NOTES}
        row.email = item["email"] if isinstance(item.get("email"), str) else ""
        row.item = item
        return row

    def _cells(self, given: Any) -> list[str]:
        if self.kind == CSV:
            return list(given)
        values = given if isinstance(given, dict) else {"line": given}
        known = set(self.columns)
        self.columns.extend(key for key in values if key not in known)
        return [shown(values.get(column)) for column in self.columns]


def look_at(binary: BinaryIO, kind: str | None = None, renames: Mapping[str, str] | None = None) -> File:
    """Finds out what a file is; of a `kind` that is not given, from how it begins. Raises `FormError`.

    `renames` are the meanings of columns by name.
    """
    encoding = texts.encoding(binary)
    with texts.reading(binary, encoding) as text:
        begins = text.read(texts.SAMPLE).lstrip()
    if not begins and kind != JSON_LINES:
        raise refusal(EMPTY)
    kind = kind or {"[": JSON_ARRAY, "{": JSON_LINES}.get(begins[0], CSV)
    named = {normal(name): meaning for name, meaning in (renames or {}).items()}
    if kind != CSV:
        return File(kind, encoding, None, [], binary, named)
    candidates = [(each, texts.header(binary, encoding, each)) for each in texts.DELIMITERS]
    delimiter, columns = max(candidates, key=lambda found: (_has_email(found[1], named), len(found[1])))
    plan(columns, named)
    return File(kind, encoding, delimiter, columns, binary, named)


def _has_email(columns: Sequence[str], renames: Mapping[str, str]) -> bool:
    return "email" in [normal(renames.get(normal(name), name)) for name in columns]


def _from_cells(number: int, record: list[str], columns: Sequence[Column], width: int) -> Row:
    row = Row(number, record)
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
INSTANT = Instant()


def _judge(row: Row, check: Check) -> None:
    """Puts a row through the form, or refuses it."""
    if row.item is None:
        return
    given = row.item
    try:
        item = plain_item(given) or load(FORM, given)
        check(item["email"])
        row.item = item | _dates(given)
    except FormError as error:
        field = error.problems[0].field.partition(".")[0] or "row"
        missing = field == "email" and not row.email.strip()
        told = "; ".join(f"{each.field}: {each.message}" for each in error.problems)
        row.refuse("missing_email" if missing else f"invalid_{field}", told)
    except ValueError as error:
        row.refuse("invalid_email", str(error))


def _dates(given: Mapping[str, Any]) -> dict[str, int]:
    found = {}
    for name in DATES:
        value = given.get(name)
        if value is not None and value != "":
            try:
                found[name] = INSTANT.deserialize(value)
            except ma.ValidationError as error:
                raise FormError([Problem(name, DATE)]) from error
    return found


def shown(value: Any) -> str:
    """A JSON value as the text of a cell."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class FileMeta(Answer):
    format = ma.fields.String(validate=ma.validate.OneOf((CSV, JSON_LINES, JSON_ARRAY)))
    encoding = ma.fields.String(allow_none=True)
    delimiter = ma.fields.String(allow_none=True)


ReceivedFile = one("ReceivedFile", Import, meta=ma.fields.Nested(FileMeta))


def received(row: Any, file: File) -> dict[str, Any]:
    """The import of a file, and as what the file was read."""
    return {
        "data": import_(row),
        "meta": {"format": file.kind, "encoding": file.encoding, "delimiter": file.delimiter},
    }
