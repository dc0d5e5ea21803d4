"""Refused rows as rows of a table: the cells of JSON objects, and the answers about everyone in the file."""

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.base import Doubled, depth
from schemas.formats import csv_values
from schemas.formats.columns import Column
from schemas.formats.consent import ConsentAnswer
from schemas.formats.meanings import normal
from schemas.formats.readings import Reading
from schemas.formats.tables import Table
from schemas.values import UNSUBSCRIBED, compact_json

MAX_COLUMNS = 100  # each row has a cell for each, though it is blank in most
LINE = "line"
SHALLOW = 4  # levels: each may be there again within the one above


def answer_cells(
    table: Table, columns: Sequence[Column], answer: ConsentAnswer, reading: Reading
) -> dict[str, str]:
    """The answers about everyone, tags and unsubscribed, as cells by column; columns that the file has are
    left out.

    Empty without such answers.
    """
    if not reading.tags and answer.everyone != UNSUBSCRIBED:
        return {}
    names = {normal(name) for name in table.names}
    carried: dict[str, str] = {}
    if answer.everyone == UNSUBSCRIBED and "command" not in names:
        carried["command"] = "unsubscribe"
    if reading.tags and "tags" not in names and all(column.meaning != "tags" for column in columns):
        carried["tags"] = csv_values.write_tags([*reading.tags])
    return carried


def with_all_values(value: dict[str, Any]) -> dict[str, Any]:
    """The object with all values of a repeated key in a list; its text if nested too deep."""
    if not isinstance(value, Doubled):
        return value
    return {**value, **value.doubled} if depth(value) <= SHALLOW else {LINE: compact_json(value)}


def refused_cells(columns: list[str], value: Any) -> list[str]:
    """The cells of a refused row of JSON, in the order of `columns`, to which new keys are added.

    A row that is no object, or would add too many columns, is written whole in the column `line`.
    """
    values: Mapping[str, Any] = value if isinstance(value, dict) else {LINE: value}
    new = [key for key in values if key not in columns]
    if new and len(columns) + len(new) > MAX_COLUMNS:
        values = {LINE: value}
        new = [LINE] if LINE not in columns else []
    columns.extend(new)
    return [cell_text(values.get(column)) for column in columns]


def cell_text(value: Any) -> str:
    """The text of a JSON value in a cell."""
    if value is None:
        return ""
    return value if isinstance(value, str) else compact_json(value)
