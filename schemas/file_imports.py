"""The parameters and answers of file imports (docs/contract.md, Files)."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import marshmallow as ma

from schemas.base import Form, JsonSchema, Text, load
from schemas.custom_fields import StoredValues
from schemas.file_looks import looked
from schemas.formats import files, tables
from schemas.formats.date_columns import FIELD, IGNORE
from schemas.formats.dates import DMY, MDY
from schemas.formats.files import File
from schemas.formats.meanings import MEANING
from schemas.formats.presets import PRESETS, http_advice
from schemas.formats.readings import Reading
from schemas.formats.tables import CSV, JSON_ARRAY, JSON_LINES, XLSX, Run
from schemas.formats.tag_questions import SEPARATORS
from schemas.imports import ImportSchema, import_, rows_left, rows_stayed
from schemas.pages import ignored
from schemas.responses import Date, ResponseSchema
from schemas.tags import trimmed
from schemas.values import NAMES, KnownPeople, write_date

WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
KINDS = {
    "text/csv": CSV,
    "application/csv": CSV,
    "text/tab-separated-values": CSV,
    "application/x-ndjson": JSON_LINES,
    "application/ndjson": JSON_LINES,
    "application/jsonl": JSON_LINES,
    "application/x-jsonlines": JSON_LINES,
    WORKBOOK: XLSX,
}
BY_SUFFIX = {".csv": CSV, ".tsv": CSV, ".jsonl": JSON_LINES, ".ndjson": JSON_LINES, ".xlsx": XLSX}

Follow = Callable[[int, dict[str, Any]], object]

DRY_RUN_ROWS = 10_000  # judged over HTTP

SWITCH = "Send 1 or 0."
FROM = f"Send from with one of {', '.join(PRESETS)}, or leave it out."
CONSENT = "Send consent=unsubscribed if everyone in the file has left, or leave it out."
KNOWN = f"Send known with one of {', '.join(KnownPeople)}, or leave it out."
TAG_SEPARATOR = "Send tag_separator with the marks between tags: one or more of , ; | # or :::"
UNREAD_DATES = (
    f"Send unread_dates={IGNORE} to leave cells out that are no dates, or unread_dates={FIELD} to keep them "
    "as custom fields."
)
ORDER = f"Send dates={DMY} if the day comes first, or dates={MDY} if the month does."


class Switch(Text):
    """`1` or `0`."""

    json_schema: ClassVar[JsonSchema] = {"type": "string", "enum": ["0", "1"]}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        text = super()._deserialize(value)
        if text.strip().lower() not in ("0", "1", "true", "false"):
            raise ma.ValidationError(SWITCH)
        return text.strip().lower() in ("1", "true")


class ImportFile(Form):
    """How a file is meant, where it does not say so itself."""

    map_ = ma.fields.Dict(
        keys=Text(),
        values=Text(),
        data_key="map",
        load_default=dict,
        error_messages={"invalid": MEANING},
        metadata={"description": "What columns mean: `map[COLUMN]=WHAT`, by header or place from 1."},
    )
    from_ = Text(data_key="from", validate=ma.validate.OneOf(PRESETS, error=FROM))
    sheet = Text(metadata={"description": "The sheet of a workbook; absent: the first."})
    tag = ma.fields.List(
        Text(), load_default=list, metadata={"description": "Tags for everyone in the file."}
    )
    consent = Text(validate=ma.validate.OneOf(["unsubscribed"], error=CONSENT))
    header = Switch()
    dates = Text(validate=ma.validate.OneOf([DMY, MDY], error=ORDER))
    tag_separator = Text(validate=ma.validate.Regexp(SEPARATORS, error=TAG_SEPARATOR))
    unread_dates = Text(validate=ma.validate.OneOf([IGNORE, FIELD], error=UNREAD_DATES))
    known = Text(
        validate=ma.validate.OneOf(list(KnownPeople), error=KNOWN),
        metadata={"description": "What may change of people who are known: `merge` everything (the default), "
                                 "`fill` what is blank, `skip` nothing. Who left in the file leaves."},
    )  # fmt: skip
    dry_run = Switch()

    @ma.post_load(pass_original=True)
    def with_ignored(self, data: dict[str, Any], original: Any, **_: Any) -> dict[str, Any]:
        return data | {"ignored": ignored(self, original)}


def reading(form: dict[str, Any], zone: str) -> Reading:
    """`zone` is that of the site."""
    return Reading(
        meanings=form["map_"],
        preset=form.get("from_"),
        sheet=form.get("sheet"),
        tags=trimmed(form["tag"]),
        left="consent" in form,
        headed=form.get("header", True),
        dates=form.get("dates"),
        known=form.get("known", KnownPeople.MERGE),
        zone=zone,
        unread_dates=form.get("unread_dates"),
        tag_separator=form.get("tag_separator"),
    )


def kept_file(
    run: Run,
    name: str,
    zone: str,
    said: Mapping[str, Any],
    binary: BinaryIO,
    unpacked: BinaryIO,
    follow: Follow,
) -> File:
    """A file that an operator sent, looked through; `said` are parameters. Raises `FormError`.

    `follow` is told again and again how many rows were looked through, and what the file is by then.
    """
    kind = BY_SUFFIX.get(Path(name).suffix.lower())
    meant = reading(load(ImportFile(), dict(said)), zone)
    table = tables.opened(binary, kind, meant.headed, run, unpacked, meant.sheet)
    opened = looked(table)
    follow(0, opened)
    file = files.understood(table, meant, lambda rows: follow(rows, opened))
    follow(0, looked(table, file))
    return file


class ColumnMeta(ResponseSchema):
    place = ma.fields.Integer(strict=True)
    name = ma.fields.String()
    meaning = ma.fields.String(metadata={"description": "As in `map`.", "examples": ["email", "field:plan"]})
    reason = ma.fields.String(metadata={"description": "Why it is taken for that, as a sentence."})


class FileMeta(ResponseSchema):
    format = ma.fields.String(validate=ma.validate.OneOf((CSV, XLSX, JSON_LINES, JSON_ARRAY)))
    encoding = ma.fields.String(allow_none=True)
    delimiter = ma.fields.String(allow_none=True)
    sheet = ma.fields.String(allow_none=True)
    sheets = ma.fields.List(ma.fields.String())
    time_zone = ma.fields.String(metadata={"description": "Dates without a time zone are of it."})
    preset = ma.fields.String(allow_none=True, metadata={"description": "The program whose file it is."})
    advice = ma.fields.String(allow_none=True, metadata={"description": "What else to import from there."})
    columns = ma.fields.List(ma.fields.Nested(ColumnMeta))
    ignored = ma.fields.List(
        ma.fields.String(), metadata={"description": "Parameters of the request that are not known."}
    )


class PreviewRow(ResponseSchema):
    row = ma.fields.Integer(strict=True)
    outcome = ma.fields.String()
    message = ma.fields.String(allow_none=True, metadata={"description": "Why the row is refused."})
    email = ma.fields.String(allow_none=True)
    first_name = ma.fields.String(allow_none=True)
    last_name = ma.fields.String(allow_none=True)
    fields_ = StoredValues(keys=ma.fields.String(), data_key="fields")
    tags = ma.fields.List(ma.fields.String())
    created_at = Date(allow_none=True)
    unsubscribed_at = Date(allow_none=True)


class DryRunSchema(ResponseSchema):
    """What an import of the first rows would do."""

    rows_seen = ma.fields.Integer(strict=True)
    whole = ma.fields.Boolean(metadata={"description": "Whether these are all rows of the file."})
    created = ma.fields.Integer(strict=True)
    updated = ma.fields.Integer(strict=True)
    unchanged = ma.fields.Integer(strict=True)
    failed = ma.fields.Integer(
        strict=True, metadata={"description": "Refused rows, including suppressed ones."}
    )
    suppressed = ma.fields.Integer(strict=True)
    unsubscribed = rows_left()
    stay_unsubscribed = rows_stayed()
    rows = ma.fields.List(
        ma.fields.Nested(PreviewRow), metadata={"description": "The first 20 rows, as they would become."}
    )


class ReceivedFile(ResponseSchema):
    """The import; null for a dry run, which answers `dry_run` instead."""

    data = ma.fields.Nested(ImportSchema, allow_none=True)
    meta = ma.fields.Nested(FileMeta)
    dry_run = ma.fields.Nested(DryRunSchema, metadata={"may_be_absent": True})


def received(row: Any, file: File, form: Mapping[str, Any]) -> dict[str, Any]:
    """The import of a file, how the file was understood, and which parameters were not."""
    return {"data": import_(row), "meta": _meta(file, form)}


def dry_run(done: Any, file: File, form: Mapping[str, Any]) -> dict[str, Any]:
    return {"data": None, "meta": _meta(file, form), "dry_run": outcome(done)}


def _meta(file: File, form: Mapping[str, Any]) -> dict[str, Any]:
    return understood(file) | {"ignored": form["ignored"]}


def understood(file: File) -> dict[str, Any]:
    table, preset = file.table, file.preset
    return {
        "format": table.kind,
        "encoding": table.encoding,
        "delimiter": table.delimiter,
        "sheet": table.sheet,
        "sheets": list(table.sheets),
        "time_zone": file.reading.zone,
        "preset": preset.name if preset else None,
        "advice": http_advice(" ".join(file.advice)) or None,
        "columns": [
            {"place": each.place, "name": each.name, "meaning": each.meaning, "reason": each.reason}
            for each in file.plan
        ],
    }


def outcome(done: Any) -> dict[str, Any]:
    """The counts and the first rows of a dry run."""
    counts = done.counts
    return {
        "rows_seen": done.rows_seen,
        "whole": done.whole,
        **{name: counts[name] for name in ("created", "updated", "unchanged")},
        "failed": counts["refused"] + counts["suppressed"],
        "suppressed": counts["suppressed"],
        "unsubscribed": done.left,
        "stay_unsubscribed": done.stayed,
        "rows": [_preview(each) for each in done.rows],
    }


def _preview(preview: Any) -> dict[str, Any]:
    row, subscriber = preview.row, preview.subscriber
    return {
        "row": row.row_number,
        "outcome": str(preview.outcome),
        "message": row.message or None,
        "email": subscriber.email if subscriber else row.email or None,
        **{name: (getattr(subscriber, name) or None) if subscriber else None for name in NAMES},
        "fields": subscriber.fields if subscriber else {},
        "tags": list(preview.tags),
        "created_at": write_date(subscriber.created_at) if subscriber else None,
        "unsubscribed_at": write_date(subscriber.unsubscribed_at) if subscriber else None,
    }
