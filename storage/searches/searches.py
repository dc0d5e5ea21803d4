"""Searches among the subscribers of a site, and their pages in an export."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from storage.access.sites import counters
from storage.database import each_row, is_spread, row, rows
from storage.engines.chosen import engine
from storage.sql import AND, Sql, join
from storage.subscribers import tags
from storage.subscribers.subscribers import COLUMN_NAMES, COLUMNS, DATES, Subscriber, read

MANY = 5_000
INDEXED_DATES = ("last_event_at", "unsubscribed_at")
FEW = 1_000  # subscribers: a tag that fewer have is always searched by itself
ENOUGH = 2  # times the number of subscribers among whom a page is expected
READ_COST = 4  # of reading and sorting a subscriber with a tag, as a multiple of checking one for the tag
PAGE_ROWS = 100
HAS_TAG = "SELECT 1 FROM subscriber_tags WHERE site_id = ? AND tag_id = ? AND subscriber_id = subscribers.id"
TAGGED = f"EXISTS ({HAS_TAG})"
BY_TAG = "SELECT subscriber_id AS id FROM subscriber_tags WHERE site_id = ? AND tag_id = ?"
PAGE_LENGTH = 2**18  # characters of custom values in a page of an export
FIELDS_POSITION = COLUMN_NAMES.index("fields")
ON_PAGE = "subscribers ON subscribers.id = page_id AND subscribers.site_id ="
ORDERED = "ORDER BY page_at DESC, page_id DESC"
COLUMNS_OF_PAGE = ", ".join(f"subscribers.{name}" for name in COLUMN_NAMES)


@dataclass(frozen=True, kw_only=True)
class Filters:
    """The filters of a search: for each date column, bounds in milliseconds that are themselves excluded, and
    further conditions.
    """

    after: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    email_key: str | None = None
    tag_ids: Sequence[int] = ()
    rules: Sequence[Sql] = ()

    @property
    def are_none(self) -> bool:
        return not (self.after or self.before or self.email_key is not None or self.tag_ids or self.rules)


def search(site_id: int, filters: Filters, limit: int, offset: int) -> list[Subscriber]:
    """A page of the subscribers that match, newest first."""
    on_page = _on_page(site_id)
    query = Sql(
        f"SELECT {COLUMNS_OF_PAGE} FROM page {engine.IN_ORDER} {on_page.text} {ORDERED}", on_page.parameters
    )
    return [read(record) for record in _read(site_id, filters, limit, offset, query)]


def texts(site_id: int, filters: Filters, limit: int, offset: int, text: Sql) -> tuple[bytes, bool]:
    """The column `text` of the subscribers that match, newest first, with commas between them. Also whether
    more than `limit` match.

    All come in one row: with a row for each, the thread would release the interpreter's lock each time.
    """
    on_page = _on_page(site_id)
    one_row = Sql(
        f"SELECT {engine.joined(text.text, ORDERED)}, (SELECT count(*) FROM page) "
        f"FROM (SELECT * FROM page LIMIT {limit:d}) AS page {engine.IN_ORDER} {on_page.text}",
        (*text.parameters, *on_page.parameters),
    )
    [(joined, row_count)] = _read(site_id, filters, limit + 1, offset, one_row)
    return bytes(joined or b""), row_count > limit


def _on_page(site_id: int) -> Sql:
    """The join of the page's subscribers, with the site by a value only where sites are spread. Elsewhere,
    the planner would read a whole site for each row if the statistics do not know the site yet.
    """
    return Sql(f"{ON_PAGE} ?", (site_id,)) if is_spread() else Sql(f"{ON_PAGE} page_site")


def _read(site_id: int, filters: Filters, limit: int, offset: int, query: Sql) -> list[Any]:
    """The rows of `query`, which joins `page`: a table of the ids and dates of the subscribers on a page. An
    index alone finds these; rows of subscribers are read only for the page.
    """
    plan = _plan(site_id, filters)
    where, order = _conditions(site_id, filters, plan), "+" if plan.sorts else ""
    return rows(
        "WITH page AS MATERIALIZED "
        "(SELECT id AS page_id, site_id AS page_site, created_at AS page_at FROM subscribers "
        f"WHERE {where.text} ORDER BY {order}created_at DESC, id DESC "
        f"LIMIT {limit:d}{' OFFSET ?' if offset else ''}) {query.text}",
        [*where.parameters, *([offset] if offset else []), *query.parameters],
        keeps_plan=filters.are_none and not offset,
    )


@dataclass(frozen=True)
class Plan:
    """What finds the candidates, which are then sorted: the rarest `tag`, a rare `date` or a `rule`. Without
    any of them, subscribers are checked from the newest on until a page is full.
    """

    tag: int | None = None
    date: str = ""
    rule: bool = False

    @property
    def sorts(self) -> bool:
        return self.tag is not None or self.date != "" or self.rule

    def plus(self, column: str) -> str:
        """A `+` before a date column, which keeps the engine from using its index; "" for the column whose
        index finds the candidates.
        """
        return "" if column == self.date or (column == "created_at" and not self.sorts) else "+"


def _plan(site_id: int, filters: Filters) -> Plan:
    """Chooses how to search. If few subscribers have a tag or a date, an index finds them, and the matches
    are sorted.

    If many do, subscribers are checked in the order of the result, along an index that contains all four
    dates.
    """
    if any(rule.rare for rule in filters.rules):
        return Plan(rule=True)
    tag = _rare_tag(site_id, filters.tag_ids) if filters.email_key is None else None
    return Plan(tag=tag) if tag is not None else Plan(date=_rare_date(site_id, filters))


def _rare_tag(site_id: int, tag_ids: Sequence[int]) -> int | None:
    """The rarest of the tags, if reading all its subscribers is faster than checking the newest of all until
    a page is full; else None.
    """
    if not tag_ids:
        return None
    users, bearers = counters(site_id)[0], tags.bearers(site_id, tag_ids)
    counts = {tag_id: max(1, bearers.get(tag_id, 0)) for tag_id in tag_ids}
    rarest = min(counts, key=counts.__getitem__)
    looked_at = min(users, PAGE_ROWS * math.prod(max(1.0, users / count) for count in counts.values()))
    if counts[rarest] < max(FEW, looked_at / READ_COST):
        return rarest
    return None if len(counts) == 1 or _newest_have(site_id, tag_ids, int(ENOUGH * looked_at)) else rarest


def _newest_have(site_id: int, tag_ids: Sequence[int], number: int) -> bool:
    """Whether the newest `number` subscribers include a page of those with all the tags. They may not, since
    tags can exclude each other.
    """
    tagged = _with_all_tags(site_id, tag_ids)
    newest = "SELECT id FROM subscribers WHERE site_id = ? ORDER BY created_at DESC, id DESC LIMIT ?"
    query = f"SELECT 1 FROM ({newest}) AS subscribers WHERE {tagged.text} LIMIT 1 OFFSET {PAGE_ROWS - 1}"
    return row(query, (site_id, number, *tagged.parameters)) is not None


def _with_all_tags(site_id: int, tag_ids: Iterable[int]) -> Sql:
    """The condition that a row of `subscribers` has all these tags."""
    return join(AND, [Sql(TAGGED, (site_id, tag_id)) for tag_id in tag_ids])


def _rare_date(site_id: int, filters: Filters) -> str:
    """A date column with an index of its own for which fewer than `MANY` subscribers are within the bounds;
    "" if there is none.
    """
    for date in INDEXED_DATES:
        bounds = [
            {date: by_date[date]} if date in by_date else {} for by_date in (filters.after, filters.before)
        ]
        if any(bounds):
            where = _conditions(site_id, Filters(after=bounds[0], before=bounds[1]), Plan(date=date))
            query = f"SELECT 1 FROM subscribers WHERE {where.text} LIMIT 1 OFFSET {MANY - 1}"
            if not row(query, where.parameters):
                return date
    return ""


def _conditions(site_id: int, filters: Filters, plan: Plan) -> Sql:
    """The condition of the WHERE clause for these filters. A `+` keeps the engine from indexes that are not
    part of the plan.
    """
    all_but_tag = "+" if (plan.tag is not None or plan.rule) and not is_spread() else ""
    parts = [Sql(f"{all_but_tag}site_id = ?", (site_id,))]
    for bounds, operator in ((filters.after, ">"), (filters.before, "<")):
        for column in DATES:
            if column in bounds:
                parts.append(Sql(f"{plan.plus(column)}{column} {operator} ?", (bounds[column],)))
    if filters.email_key is not None:
        parts.append(Sql("email_key = ?", (filters.email_key,)))
    others = _with_all_tags(site_id, (tag_id for tag_id in filters.tag_ids if tag_id != plan.tag))
    if plan.tag is not None:
        by_tag = f"id IN (SELECT id FROM ({BY_TAG}) AS subscribers WHERE {others.text or 'TRUE'})"
        parts.append(Sql(by_tag, (site_id, plan.tag, *others.parameters)))
    elif others.text:
        parts.append(others)
    return join(" AND ", [*parts, *(Sql(f"({rule.text})", rule.parameters) for rule in filters.rules)])


def page(site_id: int, after: str, limit: int) -> list[Subscriber]:
    """The next subscribers after a uuid, in the order of uuids; with version 7, that is the order of
    creation. A page is shorter if its subscribers are large.

    The index of uuids is always used: with another one, all subscribers would be sorted for each page.
    """
    records = each_row(
        f"SELECT {COLUMNS} FROM subscribers {engine.indexed_by('subscribers_site_id_uuid')} "
        "WHERE site_id = ? AND uuid > ? ORDER BY uuid LIMIT ?",
        [site_id, after, limit],
    )
    return [read(record) for record in _up_to(PAGE_LENGTH, records)]


def page_among(site_id: int, ids: Sequence[int]) -> list[Subscriber]:
    """The existing subscribers with these ids, in the order of ids. A page is shorter if its subscribers are
    large.
    """
    query = f"SELECT {COLUMNS} FROM subscribers WHERE id IN ({engine.IDS}) AND {engine.OF_SITE} ORDER BY id"
    return [read(record) for record in _up_to(PAGE_LENGTH, each_row(query, [json.dumps(ids), site_id]))]


def _up_to(length: int, records: Iterable[Any]) -> Iterator[Any]:
    """Yields the first records, until their custom values have `length` characters together."""
    for record in records:
        yield record
        length -= len(record[FIELDS_POSITION])
        if length <= 0:
            return
