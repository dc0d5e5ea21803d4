"""What a worker does with files that operators sent, and how far it is. Frozen."""

from typing import Any

COLUMNS = (
    "task text COLLATE \"C\" NOT NULL DEFAULT ''",
    "actor text COLLATE \"C\" NOT NULL DEFAULT ''",
    "client_network text COLLATE \"C\" NOT NULL DEFAULT ''",
    "rows_done bigint NOT NULL DEFAULT 0",
    "outcome text COLLATE \"C\" NOT NULL DEFAULT ''",
    "lease_until bigint NOT NULL DEFAULT 0",
    "import_id bigint NOT NULL DEFAULT 0",
)


def up(_migrator: Any, db: Any) -> None:
    for column in COLUMNS:
        db.execute_sql("ALTER TABLE file_uploads ADD COLUMN " + column)
