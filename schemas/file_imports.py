"""The parameters and answers of file imports (docs/files.md, Over HTTP)."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import marshmallow as ma

from schemas.base import FormError, describe, load
from schemas.custom_fields import StoredValues
from schemas.file_looks import describe_look
from schemas.file_readings import UPLOAD as UPLOAD
from schemas.file_readings import ImportFile as ImportFile
from schemas.file_readings import reading as reading
from schemas.formats import files, tables
from schemas.formats.files import ColumnPlan, InspectedFile
from schemas.formats.readings import Reading
from schemas.formats.tables import CSV, JSON_ARRAY, JSON_LINES, XLSX, ZIP, Run, Table
from schemas.imports import LEFT, STAYED, ImportSchema, import_, too_late, too_late_counts
from schemas.responses import OPTIONAL, Date, ResponseSchema, integer, string
from schemas.searches import STATUSES
from schemas.values import NAMES, write_date

WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
KINDS = {
    "text/csv": CSV,
    "application/csv": CSV,
    "text/tab-separated-values": CSV,
    "application/json": JSON_ARRAY,
    "application/x-ndjson": JSON_LINES,
    "application/ndjson": JSON_LINES,
    "application/jsonl": JSON_LINES,
    "application/x-jsonlines": JSON_LINES,
    WORKBOOK: XLSX,
    "application/zip": XLSX,
}
FORMATS: dict[str, dict[str, str | None]] = {  # by name: the endings of files, with the kind that each tells
    "CSV": {".csv": CSV, ".tsv": CSV, ".txt": None},
    "Excel workbooks": {".xlsx": XLSX},
    "JSON": {".json": None, ".jsonl": JSON_LINES, ".ndjson": JSON_LINES},
    "zip exports of Mailchimp and Substack": {".zip": None},
}
BY_SUFFIX = {suffix: kind for kinds in FORMATS.values() for suffix, kind in kinds.items() if kind}

Follow = Callable[[int, dict[str, Any]], object]

DRY_RUN_ROWS = 10_000  # judged over HTTP


def look_through(
    run: Run,
    name: str,
    zone: str,
    parameters: Mapping[str, Any],
    binary: BinaryIO,
    unpacked: BinaryIO,
    follow: Follow,
) -> InspectedFile:
    """Looks through an uploaded file. `name` is its name, `zone` the site's time zone, `parameters` the
    answers.

    Calls `follow` with the number of rows so far and a description of the file. A workbook's rows are written
    to `unpacked`. Raises `FormError`.
    """
    kind = BY_SUFFIX.get(Path(name).suffix.lower())
    meant = reading(load(ImportFile(), dict(parameters)), zone)
    table = tables.open_table(binary, kind, meant, run, unpacked)
    opened = describe_look(table, plan=_plan(table, meant))
    follow(0, opened)
    file = files.read_through(table, meant, lambda rows: follow(rows, opened))
    file = replace(file, digest=files.digest(binary))
    follow(0, describe_look(table, file))
    return file


def _plan(table: Table, meant: Reading) -> ColumnPlan | None:
    """What the columns of a file mean; None if the file is refused or the meanings are unclear."""
    with suppress(FormError):
        return files.plan_columns(table, meant)
    return None


class ColumnMeta(ResponseSchema):
    place = integer()
    name = ma.fields.String()
    meaning = ma.fields.String(
        **describe("What the column means, written as in `map`.", examples=["email", "field:plan"])
    )
    reason = string("Why the column has that meaning, as a sentence.")


class FileMeta(ResponseSchema):
    format = ma.fields.String(validate=ma.validate.OneOf((CSV, XLSX, ZIP, JSON_LINES, JSON_ARRAY)))
    encoding = ma.fields.String(allow_none=True)
    delimiter = ma.fields.String(allow_none=True)
    sheet = ma.fields.String(allow_none=True)
    sheets = ma.fields.List(ma.fields.String())
    time_zone = string("The time zone of dates that name none.")
    preset = string("The program that wrote the file; null if it is not known.", allow_none=True)
    advice = string("Which other files of that program to import.", allow_none=True)
    columns = ma.fields.List(ma.fields.Nested(ColumnMeta))
    answers = string("Your answers; send them as `answers` with the next file of the same kind.")
    ignored = ma.fields.List(ma.fields.String(), **describe("Parameters of the request that are not known."))


class PreviewRow(ResponseSchema):
    row = integer()
    outcome = ma.fields.String()
    message = string("Why the row is refused; null if it is not.", allow_none=True)
    email = ma.fields.String(allow_none=True)
    vars().update({name: ma.fields.String(allow_none=True) for name in NAMES})
    fields_ = StoredValues(keys=ma.fields.String(), data_key="fields")
    tags = ma.fields.List(ma.fields.String())
    status = ma.fields.String(validate=ma.validate.OneOf(STATUSES), allow_none=True)
    created_at = Date(allow_none=True)
    unsubscribed_at = Date(allow_none=True)


class DryRunSchema(ResponseSchema):
    """The result of a dry run over the first rows of a file."""

    rows_seen = integer()
    whole = ma.fields.Boolean(**describe("Whether these are all rows of the file."))
    created = integer()
    updated = integer()
    unchanged = integer()
    failed = integer("Refused rows, including suppressed ones.")
    suppressed = integer()
    unsubscribed = integer(LEFT)
    stay_unsubscribed = integer(STAYED)
    unsubscribes_ignored = too_late("Unsubscribes")
    subscribes_ignored = too_late("Subscribes")
    rows = ma.fields.List(
        ma.fields.Nested(PreviewRow), **describe("The first 20 rows, as they would be imported.")
    )


class ReceivedFile(ResponseSchema):
    """The import of a file; null for a dry run, which answers `dry_run` instead. Answered again, it has no
    `meta`.
    """

    data = ma.fields.Nested(ImportSchema, allow_none=True)
    meta = ma.fields.Nested(FileMeta, allow_none=True)
    dry_run = ma.fields.Nested(DryRunSchema, **OPTIONAL)


def answer(row: Any, file: InspectedFile, form: Mapping[str, Any]) -> dict[str, Any]:
    """The answer about the import `row` of a file: how it was read, and which parameters were unknown."""
    return {"data": import_(row), "meta": _meta(file, form)}


def answer_again(row: Any) -> dict[str, Any]:
    """The answer to a file that was sent again, without `meta`: how the file was read is not kept."""
    return {"data": import_(row), "meta": None}


def dry_run(done: Any, file: InspectedFile, form: Mapping[str, Any]) -> dict[str, Any]:
    return {"data": None, "meta": _meta(file, form), "dry_run": outcome(done)}


def _meta(file: InspectedFile, form: Mapping[str, Any]) -> dict[str, Any]:
    return describe_reading(file) | {"ignored": form["ignored"]}


def describe_reading(file: InspectedFile) -> dict[str, Any]:
    table, preset = file.table, file.preset
    return {
        "format": table.kind,
        "encoding": table.encoding,
        "delimiter": table.delimiter,
        "sheet": table.sheet,
        "sheets": list(table.sheets),
        "time_zone": file.reading.zone,
        "preset": preset.name if preset else None,
        "advice": " ".join(file.advice) or None,
        "columns": [
            {
                "place": column.position,
                "name": column.name,
                "meaning": column.meaning,
                "reason": column.reason,
            }
            for column in file.plan
        ],
        "answers": file.answers,
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
        "unsubscribed": done.unsubscribed,
        "stay_unsubscribed": done.stayed_unsubscribed,
        **too_late_counts(done),
        "rows": [_preview(row) for row in done.rows],
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
        "status": subscriber and STATUSES[subscriber.unsubscribed_at is not None],
        "created_at": write_date(subscriber.created_at) if subscriber else None,
        "unsubscribed_at": write_date(subscriber.unsubscribed_at) if subscriber else None,
    }
