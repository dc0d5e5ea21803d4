"""Names indexed in parts of 8,192 subscribers, as on SQLite. Frozen."""

from typing import Any

ADDITIVE = True
NAMES = ("first_name", "last_name")


def up(_migrator: Any, db: Any) -> None:
    for name in NAMES:
        db.execute_sql(
            f"CREATE INDEX {name}_parts ON subscribers "
            f"(site_id, (id >> 13), \"left\"(lower({name}), 300)) WHERE {name} <> ''"
        )
    for name in NAMES:  # only from here on readers wait
        db.execute_sql(f"DROP INDEX subscribers_site_id_{name}")
        db.execute_sql(f"ALTER INDEX {name}_parts RENAME TO subscribers_site_id_{name}")
