"""Which database of a server the instance has sent webhooks from. Frozen.

Older code, which does not look at it, may go on writing.
"""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE instance_state ADD COLUMN home text COLLATE \"C\" NOT NULL DEFAULT ''")
