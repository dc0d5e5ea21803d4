"""People on their way out: CSV and JSON lines that a file import takes in again (docs/files.md)."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import marshmallow as ma

from schemas import cells
from schemas.columns import EXPORTED, NOTES, column_of
from schemas.subscribers import DATES
from schemas.wire import Form, Text, date

FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
FORMAT = f"Send one of the formats {', '.join(FORMATS)}."

Page = Sequence[tuple[Any, list[str]]]  # people, each with the names of its tags


class ExportPeople(Form):
    format = Text(load_default="csv", validate=ma.validate.OneOf(FORMATS, error=FORMAT))
    segment_id = Text(strip=True)


def people_csv(keys: Sequence[str], pages: Iterable[Page]) -> Iterator[bytes]:
    """A row of column names, and a row for each person; `keys` are the custom fields."""
    yield _csv([[*EXPORTED, *(column_of(key) for key in keys)]])
    for page in pages:
        yield _csv(_row(person, tags, keys) for person, tags in page)


def _row(person: Any, tags: list[str], keys: Sequence[str]) -> list[str]:
    values = person.fields
    return [
        person.uuid,
        *(cells.write_text(text) for text in (person.email, person.first_name, person.last_name)),
        cells.write_tags(tags),
        *(date(getattr(person, name)) or "" for name in DATES),
        *(cells.write_value(values[key]) if key in values else "" for key in keys),
    ]


def people_jsonl(_: Sequence[str], pages: Iterable[Page]) -> Iterator[bytes]:
    """A JSON object for each person, on a line of its own."""
    for page in pages:
        yield "".join(f"{cells.write_json(_object(person, tags))}\n" for person, tags in page).encode()


def _object(person: Any, tags: list[str]) -> dict[str, Any]:
    return {
        "uuid": person.uuid,
        "email": person.email,
        "first_name": person.first_name or None,
        "last_name": person.last_name or None,
        "tags": tags,
        "fields": person.fields,
        **{name: date(getattr(person, name)) for name in DATES},
    }


WRITERS: dict[str, Callable[[Sequence[str], Iterable[Page]], Iterator[bytes]]] = {
    "csv": people_csv,
    "jsonl": people_jsonl,
}


def refused_csv(columns: Sequence[str], refused: Iterable[Any]) -> Iterator[bytes]:
    """Refused rows in the columns of their file, and why; corrected, they can be imported as they are.

    Where a row has more cells than there are columns, the further ones stand behind the reasons.
    """
    yield _harmless([*columns, *NOTES])
    for row in refused:
        yield _refused_cells(columns, row)


def refused_head(file: Any) -> bytes:
    """How the refused rows of a file begin: with column names, or with nothing for JSON lines."""
    return _harmless([*file.columns, *NOTES]) if file.kind == "csv" else b""


def refused_line(file: Any, row: Any) -> bytes:
    """A refused row as the file had it, and why."""
    if file.kind == "csv":
        return _refused_cells(file.columns, row)
    given = row.given if isinstance(row.given, dict) else {"line": row.given}
    notes = dict(zip(NOTES, (row.row_number, row.code, row.message), strict=True))
    return f"{cells.write_json(given | notes)}\n".encode(errors="replace")


def _refused_cells(columns: Sequence[str], row: Any) -> bytes:
    width = len(columns)
    padding = [""] * (width - len(row.cells))
    return _harmless(
        [*row.cells[:width], *padding, str(row.row_number), row.code, row.message, *row.cells[width:]]
    )


def _harmless(line: Iterable[str]) -> bytes:
    return _csv([[cells.defused(cell) for cell in line]])


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()
