"""The payload of a batch in the inbox: changes, checked and ready to be applied, one row each.

An erased row is `null`, so that the other rows keep their positions.
"""

from collections.abc import Callable, Iterable
from typing import Any

import orjson

from audience.changes.changes import Change

VERSION = 2
LENGTH = Change._fields.index("at")  # what follows only commands and events have
SHORT = Change._fields.index("remove_tags")  # what follows most rows do not need
DEFAULTS = [Change._field_defaults.get(name) for name in Change._fields]
PLAIN_REST = tuple(Change._field_defaults[name] for name in Change._fields[SHORT:LENGTH])


def row(change: Change) -> bytes:
    return orjson.dumps(change[: SHORT if change[SHORT:LENGTH] == PLAIN_REST else LENGTH])


def join(rows: Iterable[bytes]) -> str:
    return f'{{"version":{VERSION},"rows":[{b",".join(rows).decode()}]}}'


def read(payload: str) -> list[Change | None]:
    """The changes in a payload; None in place of erased ones."""
    return [None if row is None else _change(row) for row in orjson.loads(payload)["rows"]]


def _change(row: list[Any]) -> Change:
    """The `Change` in a row of a payload, in half the time of `Change(*row)`."""
    return tuple.__new__(Change, row + DEFAULTS[len(row) :])


def without_erased_rows(payload: str, is_erased: Callable[[str], bool]) -> str | None:
    """The payload with `null` in place of the rows of erased addresses; None if it has no such rows."""
    changes = read(payload)
    rest = [None if change is None or is_erased(change.key) else change for change in changes]
    return join(row(change) if change else b"null" for change in rest) if rest != changes else None
