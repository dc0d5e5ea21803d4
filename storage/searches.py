"""Searches among the subscribers of a site, and their pages in an export."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from storage.database import each_row, row, rows
from storage.engines.sqlite import indexed_by
from storage.sql import Sql
from storage.subscribers import COLUMN_NAMES, COLUMNS, DATES, Subscriber, read

MANY = 5_000
PAGE_LENGTH = 2**20  # characters of custom values in a page of an export
FIELDS_POSITION = COLUMN_NAMES.index("fields")
OF_SUBSCRIBERS = Sql(", ".join(f"subscribers.{name}" for name in COLUMN_NAMES))


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Exclusive bounds in milliseconds per date column, and further conditions."""

    after: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    email_key: str | None = None
    tag_ids: Sequence[int] = ()
    rules: Sequence[Sql] = ()


def search(site_id: int, filters: Filters, limit: int, offset: int) -> list[Subscriber]:
    """Matches, newest first."""
    return [read(record) for record in records(site_id, filters, limit, offset, OF_SUBSCRIBERS)]


def records(site_id: int, filters: Filters, limit: int, offset: int, columns: Sql) -> list[Any]:
    """Columns of the table `subscribers` for each match, newest first.

    An index alone yields the ids; rows are read only for the page. Dates that match few subscribers are
    searched in their own index, and the matches sorted. Dates that match many are checked in the order of the
    result, along an index that contains all four. A unary plus keeps a column from the wrong one of the two.
    """
    many = _match_many(site_id, filters)
    where, parameters = _conditions(site_id, filters, dates="+" if many else "")
    order = "+" if many is False else ""
    return rows(
        "WITH page AS MATERIALIZED (SELECT id AS page_id, created_at AS page_at FROM subscribers "
        f"WHERE {where} ORDER BY {order}created_at DESC, id DESC LIMIT ? OFFSET ?) "
        f"SELECT {columns.text} FROM page CROSS JOIN subscribers ON subscribers.id = page_id "
        "ORDER BY page_at DESC, page_id DESC",
        [*parameters, limit, offset, *columns.parameters],
    )


def _match_many(site_id: int, filters: Filters) -> bool | None:
    """Whether `MANY` subscribers match the dates other than `created_at`; None without such a date."""
    if filters.after.keys() | filters.before.keys() <= {"created_at"}:
        return None
    where, parameters = _conditions(site_id, Filters(after=filters.after, before=filters.before))
    return bool(row(f"SELECT 1 FROM subscribers WHERE {where} LIMIT 1 OFFSET {MANY - 1}", parameters))


def _conditions(site_id: int, filters: Filters, dates: str = "") -> tuple[str, list[Any]]:
    """The WHERE text and its parameters; `dates` is put before each date other than `created_at`."""
    conditions = ["site_id = ?"]
    parameters: list[Any] = [site_id]
    for bounds, operator in ((filters.after, ">"), (filters.before, "<")):
        for column in DATES:
            if column in bounds:
                plus = "" if column == "created_at" else dates
                conditions.append(f"{plus}{column} {operator} ?")
                parameters.append(bounds[column])
    if filters.email_key is not None:
        conditions.append("email_key = ?")
        parameters.append(filters.email_key)
    for tag_id in filters.tag_ids:
        conditions.append(
            "id IN (SELECT subscriber_id FROM subscriber_tags WHERE site_id = ? AND tag_id = ?)"
        )
        parameters += [site_id, tag_id]
    for rule in filters.rules:
        conditions.append(f"({rule.text})")
        parameters += rule.parameters
    return " AND ".join(conditions), parameters


def page(site_id: int, filters: Filters, after: str, limit: int) -> list[Subscriber]:
    """The next matches after a uuid, in the order of uuids (version 7: of creation); fewer of large ones.

    Always along the index of uuids: with another, all matches would be sorted for each page.
    """
    where, parameters = _conditions(site_id, filters)
    records = each_row(
        f"SELECT {COLUMNS} FROM subscribers {indexed_by('subscribers_site_id_uuid')} "
        f"WHERE {where} AND uuid > ? ORDER BY uuid LIMIT ?",
        [*parameters, after, limit],
    )
    return [read(record) for record in _up_to(PAGE_LENGTH, records)]


def _up_to(length: int, records: Iterable[Any]) -> Iterator[Any]:
    """The first records, until their custom values have `length` characters."""
    for record in records:
        yield record
        length -= len(record[FIELDS_POSITION])
        if length <= 0:
            return
