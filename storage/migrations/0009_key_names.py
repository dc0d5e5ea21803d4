"""Names of keys, and when each was last used. Frozen: it never imports today's models."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE keys ADD COLUMN name TEXT NOT NULL DEFAULT ''")
    db.execute_sql("ALTER TABLE keys ADD COLUMN last_used_at INTEGER")
