"""The subscriber resource as JSON text, which the database itself makes from the columns of `subscribers`.

This is ten times as fast as an object for each subscriber. `schemas.subscribers.subscriber` defines the form,
and a test compares both. PostgreSQL has functions with the names that SQLite has here.
"""

import json
from collections.abc import Callable
from functools import lru_cache

from storage.database import value
from storage.engines.chosen import engine
from storage.sql import Sql
from storage.subscribers.subscribers import TEXT_COLUMNS

# Custom values and names, as one object. A name replaces a custom value with its key, which is rare.
BLANK = " AND ".join(f"{name} = ''" for name in TEXT_COLUMNS)
REPLACED = " OR ".join(f"""instr(fields, '"{name}"') > 0""" for name in TEXT_COLUMNS)
PAIRS = [f"""iif({name} = '', '', concat(',"{name}":', json_quote({name})))""" for name in TEXT_COLUMNS]
SET = f"substr(concat({', '.join(PAIRS)}), 2)"
NAMED = f"""CASE
WHEN {BLANK} THEN fields
WHEN {REPLACED} THEN json_patch(fields, concat('{{', {SET}, '}}'))
ELSE concat(substr(fields, 1, length(fields) - 1), iif(fields = '{{}}', '', ','), {SET}, '}}')
END"""
TEXTS = ", ".join(f"""',"{name}":', iif({name} = '', 'null', json_quote({name}))""" for name in TEXT_COLUMNS)
TAG_IDS = """CASE tag_ids
WHEN '[]' THEN tag_ids
ELSE '["' || replace(replace(substr(tag_ids, 2, length(tag_ids) - 2), ' ', ''), ',', '","') || '"]'
END"""


def text(pages: str) -> Sql:
    """A column with each subscriber's JSON. `pages` followed by the uuid is the URL of its page."""
    return _text(pages, engine.instant_text)


@lru_cache(maxsize=64)
def _text(pages: str, instant_text: Callable[[str], str]) -> Sql:
    """The column of `text`, cached by `pages` and the engine's function `instant_text`."""
    created, updated, last_event, unsubscribed = (
        f"""'"' || {instant_text(column)} || 'Z"'"""
        for column in ("created_at", "updated_at", "last_event_at", "unsubscribed_at")
    )
    return Sql(
        f"""concat('{{"id":"', subscribers.id, '","type":"visitors","attributes":{{"uuid":"', uuid,
'","email":', json_quote(email), ',"fields":', {NAMED}, ',"cached_tag_ids":', {TAG_IDS},
',"unsubscribed_at":', coalesce({unsubscribed}, 'null'), ',"navigation_url":', CAST(? AS TEXT), uuid,
'"', {TEXTS}, ',"created_at":', {created}, ',"updated_at":', {updated},
',"last_event_at":', coalesce({last_event}, 'null'), '}}}}')""",
        (json.dumps(pages)[:-1],),
    )


def by_key(site_id: int, key: str, column: Sql) -> str | None:
    """The JSON of the subscriber with an email key; None without one. `column` is from `text`."""
    return _one("email_key", site_id, key, column)


def by_uuid(site_id: int, uuid: str, column: Sql) -> str | None:
    """The JSON of the subscriber with a uuid; None without one. `column` is from `text`."""
    return _one("uuid", site_id, uuid, column)


def _one(name: str, site_id: int, key: str, column: Sql) -> str | None:
    query = f"SELECT {column.text} FROM subscribers WHERE site_id = ? AND {name} = ?"
    return value(query, [*column.parameters, site_id, key], None, keeps_plan=True)
