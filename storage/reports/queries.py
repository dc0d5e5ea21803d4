"""The queries of reports, which count on demand.

Periods are `(first, end)` in milliseconds, without `end` itself. A statement takes several periods as JSON,
and searches an index once for each. `rule` is a condition on `subscribers`, such as `Members.condition`, or
`MATCH_ALL`.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from storage.database import rows
from storage.engines.chosen import engine
from storage.segments.members import ids_of
from storage.sql import Sql
from storage.subscribers import field_values, tags
from storage.subscribers.field_values import DOMAIN
from storage.subscribers.subscribers import TEXT_COLUMNS

Interval = tuple[int, int]
MATCH_ALL = Sql("TRUE")
IMPORTED = ("i.created", "i.updated", "i.unchanged", "i.refused + i.suppressed")
NUMBERS: dict[str, Callable[[Any], object]] = {"integer": int, "real": float}
ALWAYS: Interval = (-(2**63), 2**63 - 1)

# Reads the subscribers of a site in the order of `created_at`, nearly their order on disk. With the site
# alone, the query planner chooses the index of `updated_at`, whose random access is ten times as slow.
OF_SITE = "subscribers.site_id = ? AND subscribers.created_at > '-9223372036854775808'"
MATCHING = f"SELECT subscribers.id FROM subscribers WHERE {OF_SITE} AND created_at >= ? AND created_at < ?"


def count_subscribers(site_id: int, rule: Sql, period: Interval) -> int:
    """The number of subscribers that the rule selects and that were created in a period."""
    [count] = count_subscribers_in(site_id, "created_at", rule, [period])
    return count


def count_subscribers_in(site_id: int, date: str, rule: Sql, periods: Sequence[Interval]) -> list[int]:
    """For each of the periods, how many subscribers have their `date` in it.

    `date` is `created_at` or `unsubscribed_at`.
    """
    counts = rows(
        f"SELECT (SELECT count(*) FROM subscribers WHERE site_id = ? AND {date} >= b.first "
        f"AND {date} < b.ending AND ({rule.text})) FROM {engine.PERIODS} ORDER BY b.place",
        (site_id, *rule.parameters, json.dumps(periods)),
    )
    return [count for (count,) in counts]


def by_tag(site_id: int, rule: Sql, period: Interval, limit: int) -> list[tuple[str, int]]:
    """The (name, number of subscribers) of tags, the most common first. Unused tags are included."""
    if rule == MATCH_ALL and period == ALWAYS:
        return tags.most_common(site_id, limit)
    chosen, parameters = _subscriber_filter(site_id, rule, period)
    return rows(
        "SELECT tags.name, coalesce(c.total, 0) FROM tags "
        "LEFT JOIN (SELECT site_id, tag_id, count(*) AS total "
        f"FROM subscriber_tags WHERE site_id = ? {chosen} GROUP BY site_id, tag_id) AS c "
        "ON c.site_id = tags.site_id AND c.tag_id = tags.id "
        "WHERE tags.site_id = ? ORDER BY 2 DESC, tags.id LIMIT ?",
        (site_id, *parameters, site_id, limit),
    )


def by_field(site_id: int, key: str, rule: Sql, period: Interval, limit: int) -> list[tuple[str, int]]:
    """The (value, number of subscribers) of a custom field or name, the most common first.

    Each element of an array counts by itself.
    """
    if key in TEXT_COLUMNS:
        chosen, parameters = _subscriber_filter(site_id, rule, period, "subscribers.id")
        return rows(
            f"SELECT {key}, count(*) FROM subscribers WHERE site_id = ? AND {key} <> '' {chosen} "
            "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
            (site_id, *parameters, limit),
        )
    return _by_value(site_id, key, rule, period, limit)


def by_domain(site_id: int, rule: Sql, period: Interval, limit: int) -> list[tuple[str, int]]:
    """The (domain of the address, number of subscribers), the most common first."""
    return _by_value(site_id, DOMAIN, rule, period, limit)


def _by_value(
    site_id: int, key: str | None, rule: Sql, period: Interval, limit: int
) -> list[tuple[str, int]]:
    among = None
    if rule != MATCH_ALL or period != ALWAYS:
        among = ids_of(Sql(f"{MATCHING} AND ({rule.text})", (site_id, *period, *rule.parameters)))
    return field_values.most_common(site_id, key, limit, among)


def event_types(site_id: int, rule: Sql, period: Interval, limit: int) -> list[str]:
    """The most common types of events in a period."""
    chosen, parameters = _subscriber_filter(site_id, rule, ALWAYS)
    types = rows(
        "SELECT type FROM events WHERE site_id = ? AND occurred_at >= ? AND occurred_at < ? "
        f"{chosen} GROUP BY type ORDER BY count(*) DESC, type LIMIT ?",
        (site_id, *period, *parameters, limit),
    )
    return [type_ for (type_,) in types]


def events_in(
    site_id: int, types: Sequence[str], rule: Sql, periods: Sequence[Interval]
) -> dict[str, list[int]]:
    """The number of events in each of the periods, by type. The rule is evaluated once for all types."""
    if not types:
        return {}
    chosen, parameters = _subscriber_filter(site_id, rule, ALWAYS)
    counts = rows(
        "SELECT t.column1, (SELECT count(*) FROM events WHERE site_id = ? AND type = t.column1 "
        f"AND occurred_at >= b.first AND occurred_at < b.ending {chosen}) "
        f"FROM (VALUES {', '.join('(?)' for _ in types)}) AS t CROSS JOIN {engine.PERIODS} ORDER BY b.place",
        (site_id, *parameters, *types, json.dumps(periods)),
    )
    counts_by_type: dict[str, list[int]] = {type_: [] for type_ in types}
    for type_, count in counts:
        counts_by_type[type_].append(count)
    return counts_by_type


def unsubscribes(site_id: int, rule: Sql, period: Interval) -> list[tuple[str, str, int]]:
    """The (reason, kind of source, number) of unsubscribes in a period.

    Subscribers who were created unconfirmed are not counted.
    """
    chosen, parameters = _subscriber_filter(site_id, rule, ALWAYS)
    return rows(
        "SELECT reason, source, count(*) FROM consent_changes WHERE site_id = ? AND NOT subscribed "
        f"AND at >= ? AND at < ? AND reason <> 'unconfirmed' {chosen} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2",
        (site_id, *period, *parameters),
    )


def imported_in(site_id: int, periods: Sequence[Interval]) -> list[tuple[int, int, int, int]]:
    """The numbers of (created, updated, unchanged, failed) rows in each of the periods.

    An import belongs to the period in which it was accepted.
    """
    return rows(
        f"SELECT {', '.join(f'CAST(coalesce(sum({column}), 0) AS bigint)' for column in IMPORTED)} "
        f"FROM {engine.PERIODS} LEFT JOIN imports AS i "
        "ON i.site_id = ? AND i.created_at >= b.first AND i.created_at < b.ending "
        "GROUP BY b.place ORDER BY b.place",
        (json.dumps(periods), site_id),
    )


def common_values(site_id: int, newest: int, limit: int) -> list[tuple[str, str, object, int]]:
    """The (key, JSON type, value, number of subscribers) of each key's `limit` most common custom values.

    Only the `newest` subscribers are counted.
    """
    records = rows(
        "SELECT key, type, value, total FROM (SELECT key, type, value, total, "
        f"row_number() OVER (PARTITION BY key ORDER BY total DESC, {engine.BY_ATOM}, type) AS place "
        "FROM (SELECT v.key AS key, v.type AS type, v.atom AS value, count(*) AS total "
        "FROM (SELECT fields FROM subscribers WHERE site_id = ? ORDER BY created_at DESC, id DESC "
        f"LIMIT ?) AS s, {engine.SCALARS} "
        "WHERE v.type IN ('text', 'integer', 'real', 'true', 'false') "
        "GROUP BY 1, 2, 3) AS counted) AS placed WHERE place <= ? ORDER BY key, place",
        (site_id, newest, limit),
    )
    return [(key, type_, NUMBERS.get(type_, str)(value), total) for key, type_, value, total in records]


def _subscriber_filter(
    site_id: int, rule: Sql, period: Interval, column: str = "subscriber_id"
) -> tuple[str, tuple[object, ...]]:
    """The end of a WHERE clause that selects subscribers by a column of ids, and its values.

    Both are empty if all subscribers are selected.
    """
    if rule == MATCH_ALL and period == ALWAYS:
        return "", ()
    return f"AND {column} IN ({MATCHING} AND ({rule.text}))", (site_id, *period, *rule.parameters)
