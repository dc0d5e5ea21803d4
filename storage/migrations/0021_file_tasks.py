"""What a worker does with files that operators sent, and how far it is. Frozen."""

from typing import Any

COLUMNS = (
    "task TEXT NOT NULL DEFAULT ''",
    "actor TEXT NOT NULL DEFAULT ''",
    "client_network TEXT NOT NULL DEFAULT ''",
    "rows_done INTEGER NOT NULL DEFAULT 0",
    "outcome TEXT NOT NULL DEFAULT ''",
    "lease_until INTEGER NOT NULL DEFAULT 0",
    "import_id INTEGER NOT NULL DEFAULT 0",
)


def up(_migrator: Any, db: Any) -> None:
    for column in COLUMNS:
        db.execute_sql("ALTER TABLE file_uploads ADD COLUMN " + column)
