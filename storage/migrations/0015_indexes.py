"""The indexes that a growing query needs, without the others. Frozen: it imports nothing of ours.

Each statement is a transaction. With 5 million events, the two indexes lock for about 5 s each.
"""

from typing import Any

atomic = False

STATEMENTS = (
    "CREATE INDEX IF NOT EXISTS events_subscriber_id_occurred_at_id "
    "ON events (subscriber_id, occurred_at, id)",
    "CREATE INDEX IF NOT EXISTS events_site_id_id ON events (site_id, id)",
    "DROP INDEX IF EXISTS events_subscriber_id",
    "DROP INDEX IF EXISTS subscribers_site_id_updated_at_created_at_id",
)


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS:
        db.execute_sql(statement)
