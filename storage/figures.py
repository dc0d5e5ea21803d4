"""The numbers of reports, counted when they are asked for.

Periods are `(first, end)` in milliseconds, `end` excluded; several of them go into one statement as JSON, and
each costs one search of an index. `rule` is a condition of `storage.rules`, or everybody.
"""

import json
from collections.abc import Sequence

from storage.database import rows
from storage.rules import DOMAIN, values
from storage.segments import OF_SITE
from storage.sql import Sql

Period = tuple[int, int]
EVERYBODY = Sql("1")
ALWAYS: Period = (-(2**63), 2**63 - 1)

MATCHING = f"SELECT subscribers.id FROM subscribers WHERE {OF_SITE} AND created_at >= ? AND created_at < ?"
LABEL = "CASE v.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(v.atom AS TEXT) END"


def people(site_id: int, rule: Sql, period: Period) -> int:
    """Who came within a period."""
    [found] = people_in(site_id, "created_at", rule, [period])
    return found


def people_in(site_id: int, date: str, rule: Sql, periods: Sequence[Period]) -> list[int]:
    """How many people have that date, `created_at` or `unsubscribed_at`, within each period."""
    return [
        found[0]
        for found in rows(
            f"SELECT (SELECT count(*) FROM subscribers WHERE site_id = ? AND {date} >= (b.value ->> 0) "
            f"AND {date} < (b.value ->> 1) AND ({rule.text})) FROM json_each(?) AS b ORDER BY b.key",
            (site_id, *rule.parameters, json.dumps(periods)),
        )
    ]


def by_tag(site_id: int, rule: Sql, period: Period, limit: int) -> list[tuple[str, int]]:
    """(tag, people who have it), the commonest first; tags that nobody has included."""
    chosen, parameters = _chosen(site_id, rule, period)
    return _pairs(
        f"SELECT tags.name, coalesce(c.people, 0) FROM tags LEFT JOIN (SELECT tag_id, count(*) AS people "
        f"FROM subscriber_tags WHERE site_id = ? {chosen} GROUP BY tag_id) AS c ON c.tag_id = tags.id "
        "WHERE tags.site_id = ? ORDER BY 2 DESC, tags.id LIMIT ?",
        (site_id, *parameters, site_id, limit),
    )


def by_field(site_id: int, key: str, rule: Sql, period: Period, limit: int) -> list[tuple[str, int]]:
    """(value, people who have it), the commonest first; each element of an array by itself."""
    source = values(key)
    return _pairs(
        f"SELECT {LABEL}, count(DISTINCT subscribers.id) FROM subscribers JOIN {source.text} AS v "
        f"WHERE {OF_SITE} AND created_at >= ? AND created_at < ? AND ({rule.text}) AND v.atom IS NOT NULL "
        "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
        (*source.parameters, site_id, *period, *rule.parameters, limit),
    )


def by_domain(site_id: int, rule: Sql, period: Period, limit: int) -> list[tuple[str, int]]:
    """(domain of the address, people), the commonest first."""
    everybody = rule == EVERYBODY and period == ALWAYS  # an index has all that this needs
    where = (
        "site_id = ?" if everybody else f"{OF_SITE} AND created_at >= ? AND created_at < ? AND ({rule.text})"
    )
    return _pairs(
        f"SELECT {DOMAIN}, count(*) FROM subscribers WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
        (site_id, limit) if everybody else (site_id, *period, *rule.parameters, limit),
    )


def event_types(site_id: int, rule: Sql, period: Period, limit: int) -> list[str]:
    """The commonest types of a period."""
    chosen, parameters = _chosen(site_id, rule, ALWAYS)
    return [
        found[0]
        for found in rows(
            "SELECT type FROM events WHERE site_id = ? AND occurred_at >= ? AND occurred_at < ? "
            f"{chosen} GROUP BY type ORDER BY count(*) DESC, type LIMIT ?",
            (site_id, *period, *parameters, limit),
        )
    ]


def events_in(site_id: int, type_: str, rule: Sql, periods: Sequence[Period]) -> list[int]:
    """How many events of a type fall into each period."""
    chosen, parameters = _chosen(site_id, rule, ALWAYS)
    return [
        found[0]
        for found in rows(
            "SELECT (SELECT count(*) FROM events WHERE site_id = ? AND type = ? "
            f"AND occurred_at >= (b.value ->> 0) AND occurred_at < (b.value ->> 1) {chosen}) "
            "FROM json_each(?) AS b ORDER BY b.key",
            (site_id, type_, *parameters, json.dumps(periods)),
        )
    ]


def imported_in(site_id: int, periods: Sequence[Period]) -> list[tuple[int, int, int, int]]:
    """(created, updated, unchanged, failed) rows of the imports accepted within each period."""
    return [
        (found[0], found[1], found[2], found[3])
        for found in rows(
            "SELECT coalesce(sum(i.created), 0), coalesce(sum(i.updated), 0), coalesce(sum(i.unchanged), 0), "
            "coalesce(sum(i.refused + i.suppressed), 0) FROM json_each(?) AS b LEFT JOIN imports AS i "
            "ON i.site_id = ? AND i.created_at >= (b.value ->> 0) AND i.created_at < (b.value ->> 1) "
            "GROUP BY b.key ORDER BY b.key",
            (json.dumps(periods), site_id),
        )
    ]


def common_values(site_id: int, people: int, limit: int) -> list[tuple[str, str, object, int]]:
    """(key, JSON type, value, people) of the newest people: the `limit` commonest values of each key."""
    return [
        (found[0], found[1], found[2], found[3])
        for found in rows(
            "SELECT key, type, value, people FROM (SELECT key, type, value, people, "
            "row_number() OVER (PARTITION BY key ORDER BY people DESC, value) AS place "
            "FROM (SELECT v.key AS key, v.type AS type, v.atom AS value, count(*) AS people "
            "FROM (SELECT fields FROM subscribers WHERE site_id = ? ORDER BY created_at DESC, id DESC "
            "LIMIT ?) AS s, json_each(s.fields) AS v "
            "WHERE v.type IN ('text', 'integer', 'real', 'true', 'false') "
            "GROUP BY 1, 2, 3)) WHERE place <= ? ORDER BY key, place",
            (site_id, people, limit),
        )
    ]


def _chosen(site_id: int, rule: Sql, period: Period) -> tuple[str, tuple[object, ...]]:
    """A condition on `subscriber_id`; none when nothing is asked of the people."""
    if rule == EVERYBODY and period == ALWAYS:
        return "", ()
    return f"AND subscriber_id IN ({MATCHING} AND ({rule.text}))", (site_id, *period, *rule.parameters)


def _pairs(sql: str, parameters: Sequence[object]) -> list[tuple[str, int]]:
    return [(found[0], found[1]) for found in rows(sql, parameters)]
