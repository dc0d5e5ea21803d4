"""Which conditions some subscribers meet, as the count of a segment compiles them."""

import json
from collections.abc import Iterable, Iterator, Sequence

from storage.database import rows
from storage.engines.chosen import engine
from storage.segments.people import MEETING
from storage.sql import Sql, join
from storage.subscribers.field_values import Row, key_of

# To the conditions, the tables beside the subscribers have only the rows of those who are asked about. Their
# tags come from the JSON and their values by the whole key: neither table has an index by subscriber.
MET = """
WITH they AS ({ids}), their_tags AS MATERIALIZED (
    SELECT s.site_id, t.value AS tag_id, s.id AS subscriber_id FROM subscribers s, {tags} t
    WHERE s.id IN ({ids}) AND {of_site}
), their_values AS MATERIALIZED (
    SELECT v.* FROM {keys} {joins} field_values v ON v.site_id = ? AND v.field_id = k.field_id
    AND v.folded = k.folded AND v.label = k.label AND v.kind = k.kind AND v.subscriber_id = k.subscriber_id
), their_events AS MATERIALIZED (
    SELECT site_id, subscriber_id, type, occurred_at FROM events
    WHERE subscriber_id IN ({ids}) AND {of_site}
)
SELECT * FROM (
    WITH subscriber_tags AS (SELECT * FROM their_tags), field_values AS (SELECT * FROM their_values),
    events AS (SELECT * FROM their_events)
    SELECT subscribers.id, {conditions} FROM subscribers WHERE subscribers.id IN ({ids}) AND {of_site}
) AS met
"""
MEETING_SOME = f"{MEETING} AND subscribers.id IN (SELECT value FROM they)"

MOST_SELECTS = 200  # of the conditions of one statement: SQLite takes some 500, with those of the tables


def conditions_met(
    site_id: int, subscriber_ids: Iterable[int], values: Iterable[Row], conditions: Sequence[Sql]
) -> dict[int, list[bool]]:
    """For each subscriber id, whether each condition on `subscribers` holds. Subscribers that no longer exist
    are left out.

    `values` are all rows of `field_values` of these subscribers.
    """
    ids, keys = json.dumps(list(subscriber_ids)), json.dumps([key_of(row)[1:] for row in values])
    holding: dict[int, list[bool]] = {}
    for chunk in _slices(conditions):
        columns = join(", ", [Sql(f"({part.text}) IS TRUE", part.parameters) for part in chunk])
        query = MET.format(
            tags=engine.each_number("s.tag_ids"), ids=engine.IDS, keys=engine.VALUE_KEYS,
            joins=engine.IN_ORDER, of_site=engine.OF_SITE,
            conditions=columns.text.replace(MEETING, MEETING_SOME),
        )  # fmt: skip
        bound = (ids, ids, site_id, keys, site_id, ids, site_id, *columns.parameters, ids, site_id)
        for subscriber_id, *holds in rows(query, bound):
            holding.setdefault(subscriber_id, []).extend(map(bool, holds))
    return holding


def _slices(conditions: Sequence[Sql]) -> Iterator[list[Sql]]:
    chunk: list[Sql] = []
    selects = 0
    for condition in conditions:
        selects += condition.text.count("SELECT")
        if chunk and selects > MOST_SELECTS:
            yield chunk
            chunk, selects = [], condition.text.count("SELECT")
        chunk.append(condition)
    yield chunk
