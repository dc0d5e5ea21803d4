"""All tables that have rows of a site: counting a site's rows, and deleting them."""

from typing import Any

from storage.base_models import BaseModel
from storage.database import execute, row
from storage.models import MODELS

LOCK = "site_counters"


def site_owned_tables() -> list[str]:
    """The tables with a `site_id`, referencing tables before those they reference."""
    return [_meta(table).table_name for table in reversed(_site_owned_models())]


def tables_to_empty() -> list[str]:
    """The tables from which a site's rows are deleted before the site.

    `site_counters` is left out, because its row is the lock of the site.
    """
    return [table for table in site_owned_tables() if table != LOCK]


def size(site_id: int) -> int:
    """The number of rows of a site in all tables."""
    counts = [f"SELECT count(*) FROM {table} WHERE site_id = ?" for table in site_owned_tables()]
    return sum(row(count, (site_id,))[0] for count in counts)


def delete_some(table: str, site_id: int, limit: int) -> int:
    """Deletes up to `limit` rows of a site from a table. Returns how many."""
    key = ", ".join(next(_key(model) for model in _site_owned_models() if _meta(model).table_name == table))
    return execute(
        f"DELETE FROM {table} WHERE site_id = ? "
        f"AND ({key}) IN (SELECT {key} FROM {table} WHERE site_id = ? LIMIT ?)",
        (site_id, site_id, limit),
    )


def delete(site_id: int) -> int:
    """Deletes a site and its remaining rows. Returns the number of those rows."""
    deleted = sum(
        execute(f"DELETE FROM {table} WHERE site_id = ?", (site_id,)) for table in site_owned_tables()
    )
    execute("DELETE FROM sites WHERE id = ?", (site_id,))
    return deleted


def _site_owned_models() -> list[type[BaseModel]]:
    return [table for table in MODELS if "site_id" in _meta(table).columns]


def _key(table: type[BaseModel]) -> list[str]:
    return [field.column_name for field in _meta(table).get_primary_keys()]


def _meta(table: type[BaseModel]) -> Any:
    return vars(table)["_meta"]
