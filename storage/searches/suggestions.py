"""Suggestions: values that occur in a site's data. Each takes one search of an index, however many rows have
the value.
"""

from storage.database import column, rows
from storage.engines.chosen import engine
from storage.sql import Sql
from storage.subscribers import field_values

TYPES = """
WITH RECURSIVE found (type) AS (
    SELECT min(type) FROM events WHERE site_id = ?
    UNION ALL
    SELECT (SELECT min(type) FROM events WHERE site_id = ? AND type > found.type)
    FROM found WHERE found.type IS NOT NULL
) SELECT type FROM found WHERE type IS NOT NULL LIMIT ?
"""
FOLDED = """
WITH RECURSIVE field (id) AS (SELECT id FROM custom_fields WHERE site_id = ? AND key = ?),
found (folded) AS (
    SELECT min(folded) FROM distinct_values WHERE site_id = ? AND field_id = (SELECT id FROM field)
    UNION ALL
    SELECT (SELECT min(folded) FROM distinct_values
            WHERE site_id = ? AND field_id = (SELECT id FROM field) AND folded > found.folded)
    FROM found WHERE found.folded IS NOT NULL
) SELECT folded FROM found WHERE folded IS NOT NULL LIMIT ?
"""


def event_types(site_id: int, limit: int) -> list[str]:
    """The first `limit` types of a site's events, in alphabetical order."""
    return [type_ for (type_,) in rows(TYPES, (site_id, site_id, limit))]


def values(site_id: int, key: str, limit: int) -> list[str]:
    """Up to `limit` texts, numbers and booleans in use in a custom field, as texts, in alphabetical order.

    Of texts that differ only in case, one is returned.
    """
    first = engine.among(column(FOLDED, (site_id, key, site_id, site_id, limit)))
    counted = field_values.counts(site_id, key, Sql(f"v.folded {first.text}", first.parameters))
    texts: dict[str, str] = {}
    for text in sorted(counted, key=lambda text: (text.casefold(), text != text.casefold(), text)):
        texts.setdefault(text.casefold(), text)
    return list(texts.values())
