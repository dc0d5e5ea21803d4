"""The custom fields of a site."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from storage.database import database, execute_many, marks, row, rows
from storage.engines.chosen import engine
from storage.sql import slices

COLUMNS = "id, key, name, whitelisted, created_at"


class CustomField(NamedTuple):
    id: int
    key: str
    name: str
    whitelisted: bool | None
    created_at: int


def _field(record: Any) -> CustomField:
    field = CustomField(*record)
    return field if field.whitelisted is None else field._replace(whitelisted=bool(field.whitelisted))


def list_all(site_id: int) -> list[CustomField]:
    """Newest first."""
    records = rows(f"SELECT {COLUMNS} FROM custom_fields WHERE site_id = ? ORDER BY id DESC", (site_id,))
    return [_field(record) for record in records]


def get_by_key(site_id: int, key: str) -> CustomField:
    """The field with that key, which must exist."""
    return _field(row(f"SELECT {COLUMNS} FROM custom_fields WHERE site_id = ? AND key = ?", (site_id, key)))


def ids(site_id: int, keys: Iterable[str]) -> dict[str, int]:
    """Ids by key, of those of `keys` that the site has."""
    return {
        key: field_id
        for some in slices(keys)
        for key, field_id in rows(
            f"SELECT key, id FROM custom_fields WHERE site_id = ? AND key IN ({marks(some)})",
            [site_id, *some],
        )
    }


def add(site_id: int, fields: Sequence[tuple[str, str]], at: int) -> dict[str, int]:
    """Creates missing fields, given as (key, name), in the caller's write transaction; their ids by key."""
    ids = engine.new_ids(database, "custom_fields", len(fields))
    execute_many(
        "INSERT INTO custom_fields (id, site_id, key, name, created_at) VALUES (?, ?, ?, ?, ?)",
        ((field_id, site_id, key, name, at) for field_id, (key, name) in zip(ids, fields, strict=True)),
    )
    return {key: field_id for field_id, (key, _) in zip(ids, fields, strict=True)}
