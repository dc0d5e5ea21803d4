"""Until when an act's selection is held by who chooses. Frozen.

Older code, which holds none, may go on writing.
"""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE bulk_acts ADD COLUMN lease_until bigint NOT NULL DEFAULT 0")
