"""Lists of subscribers to look through: found by a text, in an order, a page at a time."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import orjson
from pyroaring import BitMap

from storage.database import column as values
from storage.database import row, rows
from storage.engines.chosen import engine
from storage.segments.members import Members, ids_of
from storage.sql import AND, Sql, join
from storage.subscribers import domains
from storage.subscribers.subscribers import Subscriber, find

ORDERS = ("created_at", "last_event_at", "unsubscribed_at")
MOST_FOUND = 10_000
EARLIEST = 1 - 2**63  # one less is no integer to a server, which then searches no index
LAST_CHARACTER = "\U0010ffff"

PART = "subscribers.id >> 13"
PARTS = (  # each is found from the one before, by the index alone
    "WITH RECURSIVE found (part) AS (SELECT CAST(-1 AS bigint) UNION ALL "
    f"SELECT (SELECT min({PART}) FROM subscribers WHERE site_id = ? AND {{column}} <> '' "
    f"AND {PART} > found.part) FROM found WHERE found.part IS NOT NULL) "
    "SELECT part FROM found WHERE part >= 0"
)
BEGINS = "subscribers.site_id = ? AND {0} >= ? AND {0} < ?"
BY_ADDRESS = BEGINS.format("email_key")


class AddressStart(NamedTuple):
    """The beginning of an address or a domain, as stored. `local` includes the `@`, or is "" for a domain.

    With `international`, a domain also matches if it begins with that and its shown form with `shown`.
    """

    local: str
    domain: str
    international: str = ""
    shown: str = ""


def begins_with(
    site_id: int, addresses: Iterable[AddressStart], of_domains: Iterable[AddressStart], names: Iterable[str]
) -> Sql:
    """The condition that a subscriber's address, domain or name begins with one of these texts.

    If up to `MOST_FOUND` subscribers match, indexes find them. If more do, each subscriber is checked in
    turn.
    """
    conditions = [condition for start in addresses for condition in _starts(site_id, start)]
    conditions += _by_either_name(site_id, names)
    at_domains = BitMap()
    for start in of_domains:
        at_domains |= domains.holders_from(site_id, start.domain) | _international(site_id, start)
    found = ids_of(join(" UNION ", [_some(condition) for condition in conditions])) | at_domains
    if len(found) > MOST_FOUND:
        tests = [Sql(f"(+{condition.text})", condition.parameters) for condition in conditions]
        return join(" OR ", [*tests, Members(at_domains).condition])
    return Sql(f"subscribers.id IN ({engine.IDS})", (orjson.dumps(list(found)).decode(),), rare=True)


def _starts(site_id: int, start: AddressStart) -> Iterator[Sql]:
    """Yields the conditions for one beginning of addresses; a second one if international domains match."""
    yield _begins(BY_ADDRESS, site_id, start.local + start.domain)
    if at_domains := _international(site_id, start):
        yield join(AND, [_begins(BY_ADDRESS, site_id, start.local), Members(at_domains).condition])


def _international(site_id: int, start: AddressStart) -> BitMap:
    """The ids of the subscribers at international domains that match a beginning."""
    return (
        domains.holders_from(site_id, start.international, start.shown) if start.international else BitMap()
    )


def _by_either_name(site_id: int, names: Iterable[str]) -> Iterator[Sql]:
    """Yields the conditions that a first name, a last name or both begin with one of these texts."""
    first_parts, last_parts = (_in_parts(site_id, column) for column in ("first_name", "last_name"))
    by_both = f"{_by_name('last_name')} AND {engine.caseless('first_name', '=')}"
    for name in names:
        yield join(AND, [_begins(_by_name("first_name"), site_id, name), first_parts])
        yield join(AND, [_begins(_by_name("last_name"), site_id, name), last_parts])
        for first, _, last in {name.partition(" "), name.rpartition(" ")}:
            if last:
                yield join(AND, [_begins(by_both, site_id, last, first), last_parts])


def _in_parts(site_id: int, column: str) -> Sql:
    """The condition by which the index of a name is used: it has parts of `PART`, all of which are named.

    An import writes only the newest part, a few pages. In an index of all names, each row has its own page.
    """
    parts = values(PARTS.format(column=column), (site_id,))
    return Sql(f"{PART} IN ({','.join(map(str, parts)) or 'NULL'})")


def _by_name(column: str) -> str:
    bounds = f"{engine.caseless(column, '>=')} AND {engine.caseless(column, '<')}"
    return f"subscribers.site_id = ? AND {bounds} AND {column} <> ''"


def _begins(condition: str, site_id: int, text: str, *more: str) -> Sql:
    return Sql(condition, (site_id, text, text + LAST_CHARACTER, *more))


def _some(condition: Sql) -> Sql:
    """The select of up to `MOST_FOUND` + 1 ids of subscribers that meet a condition."""
    query = f"SELECT id FROM subscribers WHERE {condition.text} LIMIT {MOST_FOUND + 1}"
    return Sql(f"SELECT id FROM ({query}) AS found", condition.parameters)


def page(site_id: int, rule: Sql, order: str, descending: bool, limit: int, offset: int) -> list[Subscriber]:
    """A page of the subscribers that match the rule and have the date `order`, sorted by it.

    An index alone finds their ids.
    """
    direction = "DESC" if descending else "ASC"
    ordered = ", ".join(
        f"{_plus(rule)}{column} {direction}" for column in dict.fromkeys((order, "created_at", "id"))
    )
    query = f"SELECT id FROM subscribers WHERE {_where(rule, order)} ORDER BY {ordered} LIMIT ? OFFSET ?"
    records = rows(query, (site_id, *rule.parameters, limit, offset))
    ids = [subscriber_id for (subscriber_id,) in records]
    among = engine.among(ids)
    found = find(f"id {among.text} AND {engine.OF_SITE}", [*among.parameters, site_id])
    by_id = {subscriber.id: subscriber for subscriber in found}
    return [by_id[subscriber_id] for subscriber_id in ids if subscriber_id in by_id]


def ids(site_id: int, rule: Sql, order: str) -> list[int]:
    """The ids of all subscribers that match the rule and have the date `order`."""
    listed = f"site_id = ? AND {order} > {EARLIEST} AND ({rule.text})"
    records = rows(f"SELECT id FROM subscribers WHERE {listed} ORDER BY id", (site_id, *rule.parameters))
    return [subscriber_id for (subscriber_id,) in records]


def count(site_id: int, rule: Sql, order: str, limit: int) -> int:
    """The number of subscribers that match the rule and have the date `order`, at most `limit`.

    Every subscriber has a `created_at`: for that order, the rule's own index can be used.
    """
    listed = _where(rule, order) if order != ORDERS[0] else f"{_of_site(rule)} AND ({rule.text})"
    counted = f"SELECT 1 FROM subscribers WHERE {listed} LIMIT ?"
    [total] = row(f"SELECT count(*) FROM ({counted}) AS found", (site_id, *rule.parameters, limit))
    return int(total)


def _where(rule: Sql, order: str) -> str:
    """The condition that a subscriber of a site matches the rule and has the date `order`."""
    return f"{_of_site(rule)} AND {_plus(rule)}{order} > {EARLIEST} AND ({rule.text})"


def _of_site(rule: Sql) -> str:
    return engine.OF_SITE if rule.rare else "site_id = ?"


def _plus(rule: Sql) -> str:
    """A `+` before a column, which rules its index out, if few subscribers match the rule; else ""."""
    return "+" if rule.rare else ""


def newest(site_id: int, limit: int) -> list[Subscriber]:
    return page(site_id, Sql("TRUE"), ORDERS[0], True, limit, 0)


def first_created(site_id: int) -> int | None:
    """When the oldest subscriber of a site was created, in milliseconds; None without subscribers."""
    record = row(
        "SELECT created_at FROM subscribers WHERE site_id = ? ORDER BY created_at, id LIMIT 1", (site_id,)
    )
    return record[0] if record else None
