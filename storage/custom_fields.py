"""The custom fields of a site."""

from collections.abc import Iterable
from typing import NamedTuple

from storage.database import execute_many, rows


class FieldRow(NamedTuple):
    id: int
    key: str
    name: str
    whitelisted: bool | None
    created_at: int


def all_fields(site_id: int) -> list[FieldRow]:
    """Newest first."""
    return [
        FieldRow(found[0], found[1], found[2], None if found[3] is None else bool(found[3]), found[4])
        for found in rows(
            "SELECT id, key, name, whitelisted, created_at FROM custom_fields WHERE site_id = ? "
            "ORDER BY id DESC",
            (site_id,),
        )
    ]


def keys(site_id: int) -> set[str]:
    return {found[0] for found in rows("SELECT key FROM custom_fields WHERE site_id = ?", (site_id,))}


def add(site_id: int, fields: Iterable[tuple[str, str]], at: int) -> None:
    """Creates the fields, given as (key, name), that are not there."""
    execute_many(
        "INSERT INTO custom_fields (site_id, key, name, created_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (site_id, key) DO NOTHING",
        ((site_id, key, name, at) for key, name in fields),
    )
