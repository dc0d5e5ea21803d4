"""The custom fields of a site."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from storage.database import execute_many, marks, row, rows, slices

COLUMNS = "id, key, name, whitelisted, created_at"


class FieldRow(NamedTuple):
    id: int
    key: str
    name: str
    whitelisted: bool | None
    created_at: int


def _field(found: Any) -> FieldRow:
    return FieldRow(found[0], found[1], found[2], None if found[3] is None else bool(found[3]), found[4])


def all_fields(site_id: int) -> list[FieldRow]:
    """Newest first."""
    found = rows(f"SELECT {COLUMNS} FROM custom_fields WHERE site_id = ? ORDER BY id DESC", (site_id,))
    return [_field(each) for each in found]


def by_key(site_id: int, key: str) -> FieldRow:
    """The field of a key that the site has."""
    return _field(row(f"SELECT {COLUMNS} FROM custom_fields WHERE site_id = ? AND key = ?", (site_id, key)))


def known(site_id: int, keys: Iterable[str]) -> set[str]:
    """Those of the keys that the site has."""
    return {
        found[0]
        for some in slices(keys)
        for found in rows(
            f"SELECT key FROM custom_fields WHERE site_id = ? AND key IN ({marks(some)})", [site_id, *some]
        )
    }


def add(site_id: int, fields: Iterable[tuple[str, str]], at: int) -> None:
    """Creates the fields, given as (key, name), that are not there."""
    execute_many(
        "INSERT INTO custom_fields (site_id, key, name, created_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (site_id, key) DO NOTHING",
        ((site_id, key, name, at) for key, name in fields),
    )
