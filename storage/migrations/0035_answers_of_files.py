"""What was answered of an import's file, and the digest of its content. Frozen: it imports nothing."""

from typing import Any

COLUMNS = ("consent", "answers", "digest")


def up(_migrator: Any, db: Any) -> None:
    for column in COLUMNS:
        db.execute_sql(f"ALTER TABLE imported_files ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
    db.execute_sql("CREATE INDEX imported_files_site_id_digest ON imported_files (site_id, digest)")
