"""Tags and custom fields of a site by their id, for lists in pages. Frozen."""

from typing import Any

ADDITIVE = True


def up(_migrator: Any, db: Any) -> None:
    for table in ("tags", "custom_fields"):
        db.execute_sql(f"CREATE INDEX {table}_site_id_id ON {table} (site_id, id)")
