"""The newest instant of the rows that a site's record of changes has dropped. Frozen: it imports nothing."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE site_counters ADD COLUMN dropped_change_at INTEGER NOT NULL DEFAULT 0")
