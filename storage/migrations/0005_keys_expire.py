"""Keys that end at an instant. Frozen: it never imports today's models."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE keys ADD COLUMN expires_at INTEGER")
