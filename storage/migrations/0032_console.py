"""Until when an act's selection is held by who chooses. Frozen: it imports nothing."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE bulk_acts ADD COLUMN lease_until INTEGER NOT NULL DEFAULT 0")
