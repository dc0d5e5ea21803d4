"""How many rows of an import made somebody leave, or found them unsubscribed. Frozen."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    for column in ("unsubscribed", "stay_unsubscribed"):
        db.execute_sql(f"ALTER TABLE imports ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
