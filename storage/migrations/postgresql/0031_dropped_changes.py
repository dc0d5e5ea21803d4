"""The newest instant of the rows that a site's record of changes has dropped. Frozen.

Older code, which does not note it, may go on writing.
"""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE site_counters ADD COLUMN dropped_change_at bigint NOT NULL DEFAULT 0")
