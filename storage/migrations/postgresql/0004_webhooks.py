"""A webhook is sent by a job, in place of a lease and a retry of its own, as on SQLite. Frozen."""

from typing import Any

STATEMENTS = """
INSERT INTO jobs (site_id, kind, subject, status, not_before)
    SELECT site_id, 'webhook', id, 'waiting', retry_at FROM webhooks WHERE paused = '' ORDER BY id;
ALTER TABLE webhooks DROP COLUMN retry_at;
ALTER TABLE webhooks DROP COLUMN lease_until
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
