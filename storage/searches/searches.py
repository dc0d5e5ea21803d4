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
from storage.subscribers.subscribers import COLUMN_NAMES, COLUMNS, Subscriber, read

MANY = 5_000
CREATED = "created_at"  # which everybody has
INDEXED_DATES = ("last_event_at", "unsubscribed_at")
FEW = 1_000  # subscribers: a tag that fewer have is always searched by itself
ENOUGH = 2  # times the number of subscribers among whom a page is expected
READ_COST = 4  # of reading and sorting a subscriber with a tag, as a multiple of checking one for the tag
PAGE_ROWS = 100
HAS_TAG = "SELECT 1 FROM subscriber_tags WHERE site_id = ? AND tag_id = ? AND subscriber_id = subscribers.id"
TAGGED = f"EXISTS ({HAS_TAG})"
BY_TAG = "SELECT subscriber_id AS id FROM subscriber_tags WHERE site_id = ? AND tag_id = ?"
PAGE_LENGTH = 2**18  # characters of custom values in a page of an export
# One text: SQLite takes only so many selects in a statement, and counts those of a page once for each use.
POSITION = " || ',' || ".join(f"CAST({name} AS text)" for name in ("page_at", "page_created", "page_id"))
FIELDS_POSITION = COLUMN_NAMES.index("fields")
ON_PAGE = "subscribers ON subscribers.id = page_id AND subscribers.site_id ="
COLUMNS_OF_PAGE = ", ".join(f"subscribers.{name}" for name in COLUMN_NAMES)


Position = tuple[int, int, int]  # of a subscriber in an order: the date, `created_at`, the id


@dataclass(frozen=True)
class Order:
    """The order of a search: by a date column, then `created_at` and id.

    Only subscribers with that date are in it and, if there is a `position`, only those after it.
    """

    column: str = CREATED
    descending: bool = True
    position: Position | None = None

    def by(self, *columns: str) -> str:
        """The `ORDER BY` clause of these columns in the order's direction."""
        direction = "DESC" if self.descending else "ASC"
        return f"ORDER BY {', '.join(f'{column} {direction}' for column in columns)}"

    @property
    def of_page(self) -> str:
        """The `ORDER BY` clause of the rows of `page`, which are made in this order."""
        created = () if self.column == CREATED else ("page_created",)
        return self.by("page_at", *created, "page_id")

    @property
    def sign(self) -> str:
        """The operator by which a later row compares with the position."""
        return "<" if self.descending else ">"


NEWEST = Order()


@dataclass(frozen=True, kw_only=True)
class Filters:
    """The filters of a search: exclusive bounds in milliseconds for each date column, and further conditions.

    A subscriber must have all tags and meet all rules. With `subscribed`, unsubscribed ones do not match.
    """

    after: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    email_key: str | None = None
    tag_ids: Sequence[int] = ()
    rules: Sequence[Sql] = ()
    subscribed: bool = False

    @property
    def are_none(self) -> bool:
        return not any(vars(self).values())


def search(
    site_id: int, filters: Filters, limit: int, offset: int, order: Order = NEWEST
) -> list[Subscriber]:
    """A page of the subscribers that match, in an order."""
    listed = order.of_page
    on_page = _on_page(site_id)
    query = Sql(
        f"SELECT {COLUMNS_OF_PAGE} FROM page {engine.IN_ORDER} {on_page.text} {listed}", on_page.parameters
    )
    return [read(record) for record in _read(site_id, filters, order, limit, offset, query)]


def texts(
    site_id: int, filters: Filters, limit: int, offset: int, text: Sql, order: Order = NEWEST
) -> tuple[bytes, Position | None]:
    """The column `text` of the subscribers that match, in an order, separated by commas.

    Also returns the position of the last of these; None if no more match. The database joins them into one
    row: with a row for each, the thread would release the interpreter's lock each time.
    """
    listed = order.of_page
    on_page = _on_page(site_id)
    last = f"SELECT {POSITION} FROM page LIMIT 1 OFFSET {limit - 1:d}"
    one_row = Sql(
        f"SELECT {engine.joined(text.text, listed)}, (SELECT count(*) FROM page), ({last}) "
        f"FROM (SELECT * FROM page LIMIT {limit:d}) AS page {engine.IN_ORDER} {on_page.text}",
        (*text.parameters, *on_page.parameters),
    )
    [(joined, row_count, position)] = _read(site_id, filters, order, limit + 1, offset, one_row)
    if row_count <= limit:
        return bytes(joined or b""), None
    date, created_at, subscriber_id = map(int, position.split(","))
    return bytes(joined), (date, created_at, subscriber_id)


def _on_page(site_id: int) -> Sql:
    """The join with the page's subscribers. A parameter names the site only where sites are spread.
    Elsewhere, the planner would read a whole site for each row if it has no statistics of the site.
    """
    return Sql(f"{ON_PAGE} ?", (site_id,)) if is_spread() else Sql(f"{ON_PAGE} page_site")


def _read(site_id: int, filters: Filters, order: Order, limit: int, offset: int, query: Sql) -> list[Any]:
    """The rows of `query`, which joins `page`: a table of the ids and dates of the page's subscribers.

    An index alone finds the page; rows of subscribers are read only for it.
    """
    plan = _plan(site_id, filters, order)
    where = _conditions(site_id, filters, plan, order)
    keys = dict.fromkeys((order.column, CREATED, "id"))
    ordered = order.by(*(f"+{key}" if plan.sorts else key for key in keys))
    return rows(
        f"WITH page AS MATERIALIZED (SELECT id AS page_id, site_id AS page_site, {order.column} AS page_at, "
        f"created_at AS page_created FROM subscribers WHERE {where.text} {ordered} "
        f"LIMIT {limit:d}{' OFFSET ?' if offset else ''}) {query.text}",
        [*where.parameters, *([offset] if offset else []), *query.parameters],
        keeps_plan=filters.are_none and not offset and order == NEWEST,
    )


@dataclass(frozen=True)
class Plan:
    """What finds the candidates, which are then sorted: the rarest `tag`, a rare `date` or a `rule`.

    Without any of the three, subscribers are checked along the index of `walked`, until a page is full.
    """

    tag: int | None = None
    date: str = ""
    rule: bool = False
    walked: str = CREATED

    @property
    def sorts(self) -> bool:
        return self.tag is not None or self.date != "" or self.rule

    def plus(self, column: str) -> str:
        """A `+` before a date column, which rules its index out; "" for the column of the plan's index."""
        return "" if column == self.date or (column == self.walked and not self.sorts) else "+"


def _plan(site_id: int, filters: Filters, order: Order = NEWEST) -> Plan:
    """Chooses how to search. If few subscribers have a tag or a date, an index finds them, to be sorted.

    If many have it, all are checked in order, along an index that contains all four dates; on PostgreSQL, all
    but `updated_at`.
    """
    if any(rule.rare for rule in filters.rules):
        return Plan(rule=True)
    tag = _rare_tag(site_id, filters.tag_ids) if filters.email_key is None else None
    date = _rare_date(site_id, filters) if tag is None else ""
    return Plan(tag=tag, date=date, walked=order.column)


def _rare_tag(site_id: int, tag_ids: Sequence[int]) -> int | None:
    """The rarest of the tags, if reading its subscribers is faster than checking all; else None."""
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
    """Whether at least `PAGE_ROWS` of the newest `number` subscribers have all the tags."""
    tagged = _with_all_tags(site_id, tag_ids)
    newest = "SELECT id FROM subscribers WHERE site_id = ? ORDER BY created_at DESC, id DESC LIMIT ?"
    query = f"SELECT 1 FROM ({newest}) AS subscribers WHERE {tagged.text} LIMIT 1 OFFSET {PAGE_ROWS - 1}"
    return row(query, (site_id, number, *tagged.parameters)) is not None


def _with_all_tags(site_id: int, tag_ids: Iterable[int]) -> Sql:
    """The condition that a row of `subscribers` has all these tags."""
    return join(AND, [Sql(TAGGED, (site_id, tag_id)) for tag_id in tag_ids])


def _rare_date(site_id: int, filters: Filters) -> str:
    """A date column with an index and fewer than `MANY` subscribers within the bounds; "" without one."""
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


def _conditions(site_id: int, filters: Filters, plan: Plan, order: Order = NEWEST) -> Sql:
    """The WHERE clause's condition for these filters. A `+` rules out indexes that the plan does not use."""
    all_but_tag = "+" if (plan.tag is not None or plan.rule) and not is_spread() else ""
    parts = [Sql(f"{all_but_tag}site_id = ?", (site_id,))]
    for bounds, operator in ((filters.after, ">"), (filters.before, "<")):
        for column, bound in bounds.items():
            is_nearer = order.position and (column, operator) == (order.column, order.sign)
            plus = "+" if is_nearer else plan.plus(column)
            parts.append(Sql(f"{plus}{column} {operator} ?", (bound,)))
    parts += _within(order, plan)
    if filters.subscribed:
        parts.append(Sql("+unsubscribed_at IS NULL"))
    if filters.email_key is not None:
        parts.append(Sql("email_key = ?", (filters.email_key,)))
    others = _with_all_tags(site_id, (tag_id for tag_id in filters.tag_ids if tag_id != plan.tag))
    if plan.tag is not None:
        by_tag = f"id IN (SELECT id FROM ({BY_TAG}) AS subscribers WHERE {others.text or 'TRUE'})"
        parts.append(Sql(by_tag, (site_id, plan.tag, *others.parameters)))
    elif others.text:
        parts.append(others)
    return join(" AND ", [*parts, *(Sql(f"({rule.text})", rule.parameters) for rule in filters.rules)])


def _within(order: Order, plan: Plan) -> Iterator[Sql]:
    """Yields the conditions that a subscriber is in an order, and after its position."""
    plus = plan.plus(order.column)
    if order.column != CREATED:
        yield Sql(f"{plus}{order.column} IS NOT NULL")
    if order.position:
        keys = (CREATED, "id") if order.column == CREATED else (order.column, CREATED, "id")
        marks = ", ".join("?" * len(keys))
        position = order.position[-len(keys) :]
        yield Sql(f"({plus}{', '.join(keys)}) {order.sign} ({marks})", position)


def page(site_id: int, after: str, limit: int) -> list[Subscriber]:
    """The next subscribers after a uuid, by uuid: with version 7, in the order of creation.

    A page is shorter if its subscribers are large. The index of uuids is always used: with another one, all
    subscribers would be sorted for each page.
    """
    records = each_row(
        f"SELECT {COLUMNS} FROM subscribers {engine.indexed_by('subscribers_site_id_uuid')} "
        "WHERE site_id = ? AND uuid > ? ORDER BY uuid LIMIT ?",
        [site_id, after, limit],
    )
    return [read(record) for record in _up_to(PAGE_LENGTH, records)]


def page_among(site_id: int, ids: Sequence[int]) -> list[Subscriber]:
    """The existing subscribers with these ids, by id. Large ones end a page before the last of `ids`."""
    query = f"SELECT {COLUMNS} FROM subscribers WHERE id IN ({engine.IDS}) AND {engine.OF_SITE} ORDER BY id"
    return [read(record) for record in _up_to(PAGE_LENGTH, each_row(query, [json.dumps(ids), site_id]))]


def _up_to(length: int, records: Iterable[Any]) -> Iterator[Any]:
    """Yields the first records, until their custom values have `length` characters in all."""
    for record in records:
        yield record
        length -= len(record[FIELDS_POSITION])
        if length <= 0:
            return
