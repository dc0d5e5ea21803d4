"""Whether a file that waits is to be searched for people who were erased. Frozen: it imports nothing."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE file_uploads ADD COLUMN to_search INTEGER NOT NULL DEFAULT 0")
