"""Whether a file that waits is to be searched for people who were erased. Frozen.

Older code, which asks for no search, may go on writing: its files go within a day, as before.
"""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE file_uploads ADD COLUMN to_search bigint NOT NULL DEFAULT 0")
