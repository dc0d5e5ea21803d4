"""The description of an uploaded file that a page of the console shows, as JSON: its format, columns and
first rows.
"""

from collections.abc import Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

from schemas.formats.columns import Column
from schemas.formats.files import File
from schemas.formats.tables import Table

FIRST_ROWS = 4
MAX_CELL = 80
MOST_COLUMNS = 200


def describe_look(table: Table, file: File | None = None, columns: Sequence[Column] = ()) -> dict[str, Any]:
    """Describes an uploaded file; without `file`, one that is still being read, by the `columns` known so
    far.

    Has the first `MOST_COLUMNS` of `column_count` columns, each with its meaning, the reason for it, and its
    first cells.
    """
    records = [record for _, record in islice(table.records(), FIRST_ROWS)]
    unknown = [Column(position, name, "", "") for position, name in enumerate(table.names, 1)]
    plan = file.plan if file else columns or unknown
    return {
        "kind": table.kind,
        "encoding": table.encoding,
        "delimiter": table.delimiter,
        "sheet": table.sheet,
        "sheets": list(table.sheets),
        "time_zone": file.reading.zone if file and file.dates.forms else "",
        "advice": " ".join(file.advice) if file else "",
        "preset": file.preset.name if file and file.preset else None,
        "answer": _answer(file) if file else None,
        "digest": file.digest if file else "",
        "column_count": len(table.names),
        "columns": [_column(table, column, records) for column in plan[:MOST_COLUMNS]],
    }


def _answer(file: File) -> dict[str, Any]:
    """The answer about who may be written to, and whether the file itself or the user gave it."""
    columns = [
        {"name": column.column.name, "states": [*filter(itemgetter(1), column.states.items())]}
        for column in file.answer.columns
    ]
    return {"everyone": file.answer.everyone, "by_file": file.answer.by_file, "columns": columns}


def _column(table: Table, column: Column, records: list[Any]) -> dict[str, Any]:
    return {
        "place": column.position,
        "name": column.name,
        "meaning": column.meaning,
        "key": column.key,
        "reason": column.reason,
        "cells": [table.cell_of(record, column)[:MAX_CELL] for record in records],
    }
