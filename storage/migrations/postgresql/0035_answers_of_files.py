"""What was answered of an import's file, and the digest of its content, as on SQLite. Frozen.

Older code leaves them empty.
"""

from typing import Any

COLUMNS = ("consent", "answers", "digest")


def up(_migrator: Any, db: Any) -> None:
    for column in COLUMNS:
        db.execute_sql(
            f"ALTER TABLE imported_files ADD COLUMN {column} text COLLATE \"C\" NOT NULL DEFAULT ''"
        )
    db.execute_sql("CREATE INDEX imported_files_digest ON imported_files (site_id, digest)")
