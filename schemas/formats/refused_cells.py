"""Refused rows of JSON, as rows of a table."""

from collections.abc import Mapping
from typing import Any

from schemas.values import compact_json

MAX_COLUMNS = 100  # each row has a cell for each, though it is blank in most
LINE = "line"


def refused_cells(columns: list[str], value: Any) -> list[str]:
    """The cells of a row in the columns that its file's refused rows have so far, to which its own are added.

    One that is no object, or has keys for which there is no column any more, is a whole in the column `line`.
    """
    values: Mapping[str, Any] = value if isinstance(value, dict) else {LINE: value}
    new = [key for key in values if key not in columns]
    if new and len(columns) + len(new) > MAX_COLUMNS:
        values = {LINE: value}
        new = [LINE] if LINE not in columns else []
    columns.extend(new)
    return [cell_text(values.get(column)) for column in columns]


def cell_text(value: Any) -> str:
    """A JSON value as the text of a cell."""
    if value is None:
        return ""
    return value if isinstance(value, str) else compact_json(value)
