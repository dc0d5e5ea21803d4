"""Custom fields of a site: slots with a key, made when first named (contract section 3)."""

import re
from collections.abc import Collection
from typing import Any

from audience import clock
from audience.sites import Site
from storage import custom_fields as stored
from storage import database, figures
from storage.custom_fields import FieldRow as CustomField

__all__ = ["CustomField"]

SAMPLE = 10_000
VALUES = 20
BOOLEANS = {"true": True, "false": False}
WORD = re.compile(r"[^\W_]+")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def name_of(key: str) -> str:
    """The key in words: `thisIsAKey`, `this-is-a-key` and `this_is_a_key` give `This Is A Key`."""
    words = WORD.findall(HUMP.sub(" ", key))
    return " ".join(word[0].upper() + word[1:] for word in words) or key


@database.session()
def every(site: Site) -> list[CustomField]:
    """Newest first."""
    return stored.all_fields(site.id)


@database.session()
def common_values(site: Site) -> dict[str, list[tuple[Any, int]]]:
    """By key, the commonest single values, and how many of the newest 10,000 people have each."""
    found: dict[str, list[tuple[Any, int]]] = {}
    for key, type_, value, people in figures.common_values(site.id, SAMPLE, VALUES):
        found.setdefault(key, []).append((BOOLEANS.get(type_, value), people))
    return found


@database.write()
def create(site: Site, key: str) -> CustomField:
    """The field of that key, created when there is none."""
    ensure(site.id, (key,), clock.now())
    return next(field for field in stored.all_fields(site.id) if field.key == key)


def ensure(site_id: int, keys: Collection[str], at: int) -> None:
    """Creates the fields that the site does not have; within the caller's transaction."""
    if keys:
        known = stored.keys(site_id)
        stored.add(site_id, [(key, name_of(key)) for key in keys if key not in known], at)
