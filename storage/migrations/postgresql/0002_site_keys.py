"""A nonce for the key of each site, as on SQLite. Frozen.

Older code, which knows nobody by a hash that a site's key has made, may not go on writing.
"""

from typing import Any

ADDITIVE = True


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE sites ADD COLUMN key_nonce text COLLATE \"C\" NOT NULL DEFAULT ''")
    db.execute_sql("UPDATE instance_state SET lowest_writer = 4")
