"""Names indexed in parts of 8,192 subscribers, as on SQLite. Frozen."""

from typing import Any

ADDITIVE = True


def up(_migrator: Any, db: Any) -> None:
    for name in ("first_name", "last_name"):
        db.execute_sql(f"DROP INDEX subscribers_site_id_{name}")
        db.execute_sql(
            f"CREATE INDEX subscribers_site_id_{name} ON subscribers "
            f"(site_id, (id >> 13), \"left\"(lower({name}), 300)) WHERE {name} <> ''"
        )
