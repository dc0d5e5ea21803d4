"""The custom values of subscribers as rows, by which segments and reports compare them.

A subscriber's JSON is authoritative; the rows are made from it.
One value is one row; an array or object gives a row for each distinct scalar in it. Text is folded and cut
when its row is made. A number or instant in a row is the value itself, or what its text spells.
"""

import time
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

from audience import jobs
from audience.access.sites import Site
from audience.jobs import DB, Job, Kind
from storage import database, spelt
from storage import jobs as stored_jobs
from storage.instance import site_tables
from storage.subscribers import custom_fields
from storage.subscribers import field_values as stored
from storage.subscribers.field_values import (
    BOOLEAN,
    MAX_LENGTH,
    NUMBER,
    OTHER,
    TEXT,
    FieldValue,
    Holding,
    Value,
    domain,
)

SAMPLE, CHUNK = 500, 1_000  # subscribers whose values are compared, or made again, at a time
DUE_BYTES = 600_000  # of changes that are merged at once: of some 15,000 subscribers
MERGED, MERGE_SECONDS = 100, 0.015  # sets written at once; of a transaction of them
MERGE_AFTER_MS = 10_000  # of fewer changes
NOT_COMPARED = Value("", "", OTHER, None, None)
SIMPLE = frozenset((str, int))  # not bool: true is equal to 1, but has another row


def values(value: Any) -> Collection[Value]:
    """The rows by which a custom value is compared."""
    if type(value) is str:
        return (_text(value) if len(value) > spelt.MAX_LENGTH else _short_text(value),)
    if type(value) is int:
        return (_integer(value),)
    if isinstance(value, list | dict):
        members = value.values() if isinstance(value, dict) else value
        return {row for member in members if (row := _scalar(member)) is not None} or (NOT_COMPARED,)
    return (_scalar(value) or NOT_COMPARED,)


class Holders:
    """Collects the ids of subscribers by custom value and by domain, in `by_value`."""

    def __init__(self, field_ids: Mapping[str, int]) -> None:
        self._field_ids = field_ids
        self._by_sent: dict[str, dict[Any, list[int]]] = {name: {} for name in field_ids}
        self.by_value: dict[FieldValue, list[int]] = {}

    def add(self, fields: Mapping[str, Any], subscriber_id: int) -> None:
        for name, value in fields.items():
            if type(value) in SIMPLE:
                holders = self._by_sent[name].get(value)
                if holders is None:
                    [row] = values(value)
                    holders = self._by_sent[name][value] = self._ids_with(name, row)
                holders.append(subscriber_id)
            else:
                for row in values(value):
                    self._ids_with(name, row).append(subscriber_id)

    def add_domain(self, email_key: str, subscriber_id: int) -> None:
        self.by_value.setdefault(domain(email_key), []).append(subscriber_id)

    def _ids_with(self, name: str, row: Value) -> list[int]:
        """The collected ids of subscribers with a value of a field: a list that the caller extends."""
        return self.by_value.setdefault((self._field_ids[name], *row), [])


@database.snapshot()
def differing(site: Site) -> tuple[int, int]:
    """Compares the newest `SAMPLE` subscribers with their rows of values. Returns (wrong, examined).

    Deleted subscribers that still have rows count as wrong.
    """
    sample = stored.newest_subscribers(site.id, SAMPLE)
    ids = custom_fields.ids(site.id, {name for *_, fields in sample for name in fields})
    expected = {id_: {domain(key), *_values(fields, ids)} for id_, key, fields in sample}
    return len(stored.differing(site.id, expected)), len(sample)


def rebuild(site: Site) -> None:
    """Rebuilds a site's tables of values in chunks, so that others can write between them."""
    for table in stored.TABLES:
        while _clear_some(site.id, table):
            database.checkpoint(only_if_due=True)
    last = _write_page(site.id, "")
    while last:
        merge_if_due(site.id)
        last = _write_page(site.id, last)
    merge(site.id)


@database.writes_site
def _clear_some(site_id: int, table: str) -> bool:
    """Deletes up to `CHUNK` rows of a table. Returns whether there may be more."""
    return bool(site_tables.delete_some(table, site_id, CHUNK))


@database.writes_site
def _write_page(site_id: int, after: str) -> str:
    """Writes the values of `CHUNK` subscribers after a uuid. Returns the last uuid, or "" at the end."""
    page = stored.values_after(site_id, after, CHUNK)
    holders = Holders(custom_fields.ids(site_id, {name for *_, fields in page for name in fields}))
    for subscriber_id, _, key, fields in page:
        holders.add(fields, subscriber_id)
        holders.add_domain(key, subscriber_id)
    save(site_id, holders.by_value, {})
    return page[-1][1] if page else ""


def save(site_id: int, added: Holding, removed: Holding) -> None:
    """Stores which subscribers got or lost which values, in the caller's transaction. Queues a merge."""
    if added or removed:
        stored.save(site_id, added, removed)
        stored_jobs.add_once(site_id, stored.JOB, 0, jobs.now(), MERGE_AFTER_MS)


def merge_if_due(site_id: int) -> None:
    """Merges a site's changes of values if they take much space. Checkpoints the write-ahead log if due."""
    with database.session():
        is_due = stored.changed_bytes(site_id) >= DUE_BYTES
    if is_due:
        merge(site_id)
    database.checkpoint(only_if_due=True)


def merge(site_id: int) -> None:
    """Merges a site's changes of values into the stored sets, in several transactions.

    If it is interrupted, readers see the same values, and the next merge begins anew.
    """
    with database.session():
        changes = stored.Changes(site_id)
    last, blocks = changes.last, changes.blocks()
    while blocks:
        _merge_some(site_id, blocks)
        database.checkpoint(only_if_due=True)
    with database.write(site_id):
        stored.forget(site_id, last)


@database.writes_site
def _merge_some(site_id: int, blocks: dict[int, set[int]]) -> None:
    """Merges blocks of changes for `MERGE_SECONDS`, and removes the merged ones from `blocks`."""
    changes = stored.Changes(site_id)
    ending = time.monotonic() + MERGE_SECONDS
    while blocks:
        chunk: dict[int, set[int]] = {}
        while blocks and sum(map(len, chunk.values())) < MERGED:
            value_id = next(iter(blocks))
            chunk[value_id] = blocks.pop(value_id)
        stored.merge(site_id, changes, chunk)
        if time.monotonic() >= ending:
            return


def _step(job: Job, _deadline: float) -> int:
    """Merges a site's changes of values. Returns milliseconds until the next step, or `SETTLED`."""
    merge(job.site_id)
    with database.write(job.site_id):
        if stored.changed_bytes(job.site_id):
            return MERGE_AFTER_MS
        jobs.end(job)
    return jobs.SETTLED


KIND = Kind(stored.JOB, DB, _step)


def _values(fields: Mapping[str, Any], ids: Mapping[str, int]) -> Iterator[FieldValue]:
    for key, value in fields.items():
        for row in values(value):
            yield (ids[key], *row)


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
