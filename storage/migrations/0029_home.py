"""Which database of a server webhooks were sent from; none of a file. Frozen: it imports nothing."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE instance_state ADD COLUMN home TEXT NOT NULL DEFAULT ''")
