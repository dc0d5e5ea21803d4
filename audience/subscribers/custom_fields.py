"""Custom fields of a site, created on first use of their key."""

import re
from collections.abc import Collection
from typing import Any

from audience import clock
from audience.access.sites import Site
from audience.errors import NotFound
from schemas.codes import Code, Sentence
from schemas.values import VALUES_SAMPLE_SIZE
from storage import database
from storage.reports import queries as report_queries
from storage.subscribers import custom_fields as stored
from storage.subscribers.custom_fields import CustomField

__all__ = ["CustomField"]

NOT_FOUND = Sentence(
    Code.FIELD_NOT_FOUND, "Field not found: GET /v1/fetch/fields lists the fields of the site."
)
MAX_VALUES = 20
BOOLEANS = {"true": True, "false": False}
WORD = re.compile(r"[^\W_]+")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def name_of(key: str) -> str:
    """The display name of a key: `thisIsAKey`, `this-is-a-key` and `this_is_a_key` are `This Is A Key`."""
    words = WORD.findall(HUMP.sub(" ", key))
    return " ".join(word[0].upper() + word[1:] for word in words) or key


@database.session()
def list_all(site: Site, **rows: int) -> list[CustomField]:
    """The custom fields of a site, newest first; with `limit`, at most that many, with ids below `before`."""
    return stored.list_all(site.id, **rows)


@database.session()
def get(site: Site, field_id: int) -> CustomField:
    """Gets a custom field. Raises `NotFound`."""
    return _require(stored.get(site_id=site.id, id=field_id))


@database.session()
def get_by_key(site: Site, key: str) -> CustomField:
    """Gets the custom field with a key. Raises `NotFound`."""
    return _require(stored.get(site_id=site.id, key=key))


def _require(field: CustomField | None) -> CustomField:
    if field is None:
        raise NotFound(NOT_FOUND)
    return field


@database.session()
def find(site: Site, field_id: int) -> CustomField | None:
    """The custom field with an id; None if the site has no such field."""
    return stored.get(site_id=site.id, id=field_id)


@database.session()
def common_values(site: Site) -> dict[str, list[tuple[Any, int]]]:
    """The (value, number of subscribers) of the most common scalars of each key, by key.

    Scalars are texts, numbers and booleans. Only the newest `VALUES_SAMPLE_SIZE` subscribers are counted.
    """
    values: dict[str, list[tuple[Any, int]]] = {}
    counted = report_queries.common_values(site.id, VALUES_SAMPLE_SIZE, MAX_VALUES)
    for key, type_, value, subscribers in counted:
        values.setdefault(key, []).append((BOOLEANS.get(type_, value), subscribers))
    return values


@database.writes_site
def create(site: Site, key: str) -> CustomField:
    """The custom field with a key, created if missing."""
    ensure(site.id, (key,), clock.now_ms())
    return stored.get_by_key(site.id, key)


def ensure(site_id: int, keys: Collection[str], at: int) -> tuple[dict[str, int], list[str]]:
    """Creates missing custom fields, in the caller's transaction. Returns (ids by key, new keys)."""
    existing = stored.ids(site_id, keys) if keys else {}
    missing = [key for key in keys if key not in existing]
    if not missing:
        return existing, []
    return existing | stored.add(site_id, [(key, name_of(key)) for key in missing], at), missing


def ensure_ids(
    site_id: int, added: Collection[str], removed: Collection[str], at: int
) -> tuple[dict[str, int], list[str]]:
    """Creates the fields that are missing among the keys `added`, in the caller's transaction.

    Returns (ids of existing fields among `added` and `removed` by key, new keys).
    """
    existing, created = ensure(site_id, added, at)
    return existing | (stored.ids(site_id, removed) if removed else {}), created
