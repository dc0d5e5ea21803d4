"""The description of an uploaded file that a page of the console shows, as JSON: its format, columns and
first rows.
"""

from itertools import islice
from operator import itemgetter
from typing import Any

from schemas.formats.columns import Column
from schemas.formats.consent import ConsentAnswer
from schemas.formats.files import ColumnPlan, InspectedFile
from schemas.formats.tables import Table

FIRST_ROWS = 4
MAX_CELL = 80
MOST_COLUMNS = 200


def describe_look(
    table: Table, file: InspectedFile | None = None, plan: ColumnPlan | None = None
) -> dict[str, Any]:
    """Describes an uploaded file; without `file`, one that is still being read, by its `plan`, if any.

    Has the first `MOST_COLUMNS` of `column_count` columns, each with its meaning, the reason for it, and its
    first cells.
    """
    records = [record for _, record in islice(table.records(), FIRST_ROWS)]
    unknown = [Column(position, name, "", "") for position, name in enumerate(table.names, 1)]
    plan = ColumnPlan(file.preset, file.plan, file.answer) if file else plan
    return {
        "kind": table.kind,
        "encoding": table.encoding,
        "delimiter": table.delimiter,
        "sheet": table.sheet,
        "sheets": list(table.sheets),
        "time_zone": file.reading.zone if file and file.dates.forms else "",
        "advice": " ".join(file.advice) if file else "",
        "preset": plan.preset.name if plan and plan.preset else None,
        "answer": _answer(plan.answer) if plan else None,
        "digest": file.digest if file else "",
        "column_count": len(table.names),
        "columns": [
            _column(table, column, records) for column in (plan.columns if plan else unknown)[:MOST_COLUMNS]
        ],
    }


def _answer(answer: ConsentAnswer) -> dict[str, Any]:
    """The answer about who may be written to, and whether the file itself or the user gave it."""
    columns = [
        {"name": column.column.name, "states": [*filter(itemgetter(1), column.states.items())]}
        for column in answer.columns
    ]
    return {"everyone": answer.everyone, "by_file": answer.by_file, "columns": columns}


def _column(table: Table, column: Column, records: list[Any]) -> dict[str, Any]:
    return {
        "place": column.position,
        "name": column.name,
        "meaning": column.meaning,
        "key": column.key,
        "reason": column.reason,
        "cells": [table.cell_of(record, column)[:MAX_CELL] for record in records],
    }
