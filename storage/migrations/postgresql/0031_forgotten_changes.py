"""Until when a site's record of changes has forgotten rows. Frozen.

Older code, which does not note it, may go on writing.
"""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE site_counters ADD COLUMN forgotten_at bigint NOT NULL DEFAULT 0")
