"""Until when a site's record of changes has forgotten rows. Frozen: it imports nothing."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE site_counters ADD COLUMN forgotten_at INTEGER NOT NULL DEFAULT 0")
