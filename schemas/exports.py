"""Subscribers as CSV and as JSON lines, in the form that a file import reads (docs/files.md)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import marshmallow as ma

from schemas import links
from schemas.base import Choice, JsonSchema, RequestSchema, Text, describe
from schemas.codes import ROW_CODES, Code, Sentence
from schemas.events import event
from schemas.export_columns import EXPORT_COLUMNS
from schemas.formats import csv_values
from schemas.formats.meanings import NOTES, field_header, note_headers
from schemas.formats.refused_cells import with_all_values
from schemas.values import DATES, NAMES, compact_json, write_date

FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
FORMAT = Sentence(Code.UNKNOWN_CHOICE, f"Send one of the formats {', '.join(FORMATS)}.")

EVENTS_FORMAT = Sentence(
    Code.UNKNOWN_CHOICE, "Send jsonl, or leave the format out: events are exported as JSON lines."
)
OF_SUBSCRIBERS = Sentence(Code.REFUSED_VALUE, "Leave this out: it is only for exports of subscribers.")
EVENT_ID = Sentence(Code.MALFORMED_VALUE, "Send the id of the last event of an earlier export, or 0.")

LinksOf = Callable[[Any], Mapping[str, str]]  # of a subscriber
RowsPage = Sequence[tuple[Any, list[str]]]  # subscribers with the names of their tags


def _no_links(_: Any) -> Mapping[str, str]:
    return {}


class EventId(ma.fields.Field[int]):
    json_schema: ClassVar[JsonSchema] = {
        "type": "integer",
        "minimum": 0,
        "description": "With `of=events`: the id of the last event of an earlier export.",
    }

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        return value


class ExportSubscribers(RequestSchema):
    """What to export: subscribers or, as JSON lines only, events."""

    of = Choice(("subscribers", "events"), load_default="subscribers")
    format = Text(
        validate=ma.validate.OneOf(FORMATS, error=FORMAT),
        **describe("CSV is the default; events are JSON lines."),
    )
    segment_id = Text(strip=True)
    links = links.switch()
    after = EventId()

    @ma.post_load
    def check_events(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        if data["of"] == "subscribers":
            return {"format": "csv", **data}
        if data.get("format") == "csv":
            raise ma.ValidationError({"format": [EVENTS_FORMAT]})
        if unfit := [key for key in ("segment_id", "links") if data.get(key)]:
            raise ma.ValidationError({key: [OF_SUBSCRIBERS] for key in unfit})
        return {**data, "after": _event_id(data.get("after", 0))}


def _event_id(value: Any) -> int:
    text = str(value).strip() if type(value) in (int, str) else ""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ma.ValidationError({"after": [EVENT_ID]})
    return int(text)


def subscribers_csv(
    keys: Sequence[str], pages: Iterable[RowsPage], links_of: LinksOf = _no_links
) -> Iterator[bytes]:
    """Yields a CSV file with a header and a row for each subscriber; with `links_of`, also links.

    `keys` are those of the custom fields.
    """
    urls = () if links_of is _no_links else links.COLUMNS.values()
    yield _csv([[*EXPORT_COLUMNS, *urls, *(field_header(key) for key in keys)]])
    for page in pages:
        yield _csv(_row(subscriber, tags, keys, links_of(subscriber)) for subscriber, tags in page)


def _row(subscriber: Any, tags: list[str], keys: Sequence[str], urls: Mapping[str, str]) -> list[str]:
    values = subscriber.fields
    cells = {
        "uuid": subscriber.uuid,
        "tags": csv_values.write_tags(tags),
        **{name: csv_values.write_text(getattr(subscriber, name)) for name in ("email", *NAMES)},
        **{name: write_date(getattr(subscriber, name)) or "" for name in DATES},
    }
    return [
        *(cells[name] for name in EXPORT_COLUMNS),
        *urls.values(),
        *(csv_values.write_value(values[key]) if key in values else "" for key in keys),
    ]


def subscribers_jsonl(
    _: Sequence[str], pages: Iterable[RowsPage], links_of: LinksOf = _no_links
) -> Iterator[bytes]:
    """Yields JSON lines, an object for each subscriber; with `links_of`, also links."""
    for page in pages:
        lines = (compact_json(_object(subscriber, tags, links_of(subscriber))) for subscriber, tags in page)
        yield "".join(f"{line}\n" for line in lines).encode()


def _object(subscriber: Any, tags: list[str], urls: Mapping[str, str]) -> dict[str, Any]:
    return {
        "uuid": subscriber.uuid,
        "email": subscriber.email,
        **{name: getattr(subscriber, name) or None for name in NAMES},
        "tags": tags,
        "fields": subscriber.fields,
        **{name: write_date(getattr(subscriber, name)) for name in DATES},
        **({"links": urls} if urls else {}),
    }


def events_jsonl(pages: Iterable[Sequence[tuple[Any, str, str]]]) -> Iterator[bytes]:
    """Yields JSON lines, an object for each (event, uuid and address of its subscriber)."""
    for page in pages:
        lines = (compact_json(_event(row, uuid, email)) for row, uuid, email in page)
        yield "".join(f"{line}\n" for line in lines).encode()


def _event(row: Any, uuid: str, email: str) -> dict[str, Any]:
    created_at = write_date(row.created_at)
    return {"id": str(row.id), "uuid": uuid, "email": email, **event(row), "created_at": created_at}


WRITERS: dict[str, Callable[..., Iterator[bytes]]] = {
    "csv": subscribers_csv,
    "jsonl": subscribers_jsonl,
}


def refused_csv(columns: Sequence[str], refused: Iterable[Any]) -> Iterator[bytes]:
    """Yields a CSV file of refused rows, which can be imported once corrected.

    Its columns are those of their file, then row number, reason and code. Cells beyond the columns follow the
    reason.
    """
    yield _defused_csv([*columns, *note_headers(columns)])
    for row in refused:
        yield _refused_cells(columns, row)


def refused_head(file: Any) -> bytes:
    """The header of a file of refused rows; empty for JSON lines."""
    return (
        _defused_csv([*file.refused_header, *note_headers(file.refused_header)])
        if not file.table.is_json
        else b""
    )


def refused_line(file: Any, row: Any) -> bytes:
    """A refused row as a line of its file's own format, with its number and the reason."""
    if not file.table.is_json:
        return _refused_cells(file.refused_header, row)
    record = with_all_values(row.raw) if isinstance(row.raw, dict) else {"line": row.raw}
    notes = dict(zip(NOTES, (row.row_number, row.code, row.message), strict=True))
    return f"{compact_json(record | file.answer_cells | notes)}\n".encode(errors="replace")


def _refused_cells(columns: Sequence[str], row: Any) -> bytes:
    width = len(columns)
    padding = [""] * (width - len(row.cells))
    code = ROW_CODES.get(row.code, Code.REFUSED_VALUE)
    notes = [str(row.row_number), row.code, row.message, code][: len(note_headers(columns))]
    return _defused_csv([*row.cells[:width], *padding, *notes, *row.cells[width:]])


def table_csv(lines: Iterable[Iterable[Any]]) -> bytes:
    """A table as CSV. An apostrophe precedes text that a spreadsheet would run as a formula."""
    return b"".join(_defused_csv(str(cell) for cell in line) for line in lines)


def _defused_csv(line: Iterable[str]) -> bytes:
    return _csv([[csv_values.defuse(cell) for cell in line]])


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    """Rows as CSV in UTF-8. `csv.writer` would block other threads for 40 ms per megabyte."""
    return "".join(f"{','.join(map(_quote, row)) or _quote_empty(row)}\r\n" for row in rows).encode()


def _quote(cell: str) -> str:
    if '"' in cell or "," in cell or "\n" in cell or "\r" in cell:
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _quote_empty(row: Sequence[str]) -> str:
    """The line of a row whose only cell is empty: in quotes, since an empty line would be no row."""
    return '""' if row else ""
