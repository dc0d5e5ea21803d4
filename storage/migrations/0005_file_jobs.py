"""What workers do with files is a job. Frozen."""

from typing import Any

STATEMENTS = """
INSERT INTO jobs (site_id, kind, subject, status)
    SELECT site_id, 'file', id, 'waiting' FROM file_uploads
    WHERE task IN ('try', 'import') OR to_search > 0 AND import_id = 0 ORDER BY id;
ALTER TABLE file_uploads DROP COLUMN lease_until
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
