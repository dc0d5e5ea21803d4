"""How many rows of an import made somebody leave, or found them unsubscribed, as that of SQLite. Frozen."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    for column in ("unsubscribed", "stay_unsubscribed"):
        db.execute_sql(f"ALTER TABLE imports ADD COLUMN {column} bigint NOT NULL DEFAULT 0")
