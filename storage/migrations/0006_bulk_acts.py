"""Jobs of bulk actions and of the counts of segments. Frozen."""

from typing import Any

STATEMENTS = """
INSERT INTO jobs (site_id, kind, subject, status)
    SELECT site_id, 'bulk_act', id, CASE status WHEN 'failed' THEN 'failed' ELSE 'waiting' END
    FROM bulk_acts WHERE status IN ('selecting', 'queued', 'running', 'failed') ORDER BY id;
INSERT INTO jobs (site_id, kind, subject, status)
    SELECT site_id, 'segment', id, 'waiting' FROM segments ORDER BY id;
ALTER TABLE bulk_acts DROP COLUMN lease_until
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
