"""Custom values as segments and reports compare them: rows beside the JSON of each subscriber, the truth.

One value is one row; an array or object gives a row for each distinct scalar in it. Text is folded here,
once, and cut; a number and an instant are those that a value is, or that its text spells.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

from audience.access.sites import Site
from storage import database, spelt
from storage.instance import site_tables
from storage.subscribers import custom_fields
from storage.subscribers import field_values as stored
from storage.subscribers.field_values import BOOLEAN, MAX_LENGTH, NUMBER, OTHER, TEXT, Row, Value
from storage.subscribers.subscribers import Subscriber

SAMPLE, CHUNK_ROWS = 500, 1_000  # subscribers whose rows are compared, or made again, at a time
NOT_COMPARED = Value("", "", OTHER, None, None)
SIMPLE = frozenset((str, int))  # not bool: true is equal to 1, but has another row


def values(value: Any) -> Collection[Value]:
    """The rows of the table of values for a custom value."""
    if type(value) is str:
        return (_text(value) if len(value) > spelt.MAX_LENGTH else _short_text(value),)
    if type(value) is int:
        return (_integer(value),)
    if isinstance(value, list | dict):
        members = value.values() if isinstance(value, dict) else value
        return {row for member in members if (row := _scalar(member)) is not None} or (NOT_COMPARED,)
    return (_scalar(value) or NOT_COMPARED,)


class Bearers:
    """The subscribers by custom value. `rows` are in the order of their table, which makes adding them
    faster.
    """

    def __init__(self, site_id: int, field_ids: Mapping[str, int]) -> None:
        self._fields = {name: (site_id, field_id) for name, field_id in field_ids.items()}
        self._by_value: dict[str, dict[Any, list[int]]] = {name: {} for name in field_ids}
        self._by_row: dict[Any, list[int]] = {}

    def add(self, fields: Mapping[str, Any], subscriber_id: int) -> None:
        for name, value in fields.items():
            if type(value) in SIMPLE:
                bearers = self._by_value[name].get(value)
                if bearers is None:
                    [row] = values(value)
                    bearers = self._by_value[name][value] = self._of(name, row)
                bearers.append(subscriber_id)
            else:
                for row in values(value):
                    self._of(name, row).append(subscriber_id)

    def _of(self, name: str, row: Value) -> list[int]:
        return self._by_row.setdefault(self._fields[name] + row, [])

    def rows(self) -> list[Row]:
        return [(*row, row_id) for row in sorted(self._by_row) for row_id in sorted(self._by_row[row])]


@database.snapshot()
def differing(site: Site) -> tuple[int, int]:
    """The number of subscribers with wrong rows, and the number looked at: the newest `SAMPLE`, and deleted
    ones that still have rows.
    """
    sample = stored.newest(site.id, SAMPLE)
    stored_rows: dict[int, set[Row]] = {subscriber_id: set() for subscriber_id, _ in sample}
    for row in stored.of_subscribers(site.id, stored_rows):
        stored_rows[row[-1]].add(row)
    ids = custom_fields.ids(site.id, {key for _, fields in sample for key in fields})
    wrong = [id_ for id_, fields in sample if set(_rows(site.id, id_, fields, ids)) != stored_rows[id_]]
    return len(wrong) + stored.count_gone(site.id), len(sample)


def rebuild(site: Site) -> None:
    """Rebuilds a site's table of values in chunks, so that others can write in between."""
    while _clear_some(site.id):
        database.checkpoint(only_if_due=True)
    last = _make(site.id, "")
    while last:
        database.checkpoint(only_if_due=True)
        last = _make(site.id, last)


@database.writes_site
def _clear_some(site_id: int) -> bool:
    return bool(site_tables.delete_some("field_values", site_id, CHUNK_ROWS))


@database.writes_site
def _make(site_id: int, after: str) -> str:
    """Writes the rows of the next subscribers after a uuid. Returns the last one's uuid, or "" at the end."""
    page = stored.values_after(site_id, after, CHUNK_ROWS)
    ids = custom_fields.ids(site_id, {key for _, _, fields in page for key in fields})
    stored.add(row for row_id, _, fields in page for row in _rows(site_id, row_id, fields, ids))
    return page[-1][1] if page else ""


def rows_of(site_id: int, subscribers: Collection[Subscriber]) -> Iterator[Row]:
    """The rows of the table of values for subscribers, from their JSON, in the caller's session."""
    ids = custom_fields.ids(site_id, {key for subscriber in subscribers for key in subscriber.fields})
    for subscriber in subscribers:
        yield from _rows(site_id, subscriber.id, subscriber.fields, ids)


def _rows(
    site_id: int, subscriber_id: int, fields: Mapping[str, Any], ids: Mapping[str, int]
) -> Iterator[Row]:
    for key, value in fields.items():
        for row in values(value):
            yield (site_id, ids[key], *row, subscriber_id)


def _scalar(value: Any) -> Value | None:
    if isinstance(value, str):
        return _text(value) if len(value) > spelt.MAX_LENGTH else _short_text(value)
    if isinstance(value, bool):
        return Value("true" if value else "false", "", BOOLEAN, None, None)
    if isinstance(value, int | float):
        return Value(repr(value), "", NUMBER, value, None)
    return None


def _text(text: str) -> Value:
    folded, label = text.casefold()[:MAX_LENGTH], text[:MAX_LENGTH]
    return Value(folded, "" if label == folded else label, TEXT, spelt.number(text), spelt.instant(text))


_short_text = lru_cache(maxsize=4096)(_text)


@lru_cache(maxsize=4096)
def _integer(value: int) -> Value:
    return Value(str(value), "", NUMBER, value, None)
