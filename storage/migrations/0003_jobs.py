"""One table for all work in the background, in place of a claim and a lease in each. Frozen."""

from typing import Any

STATEMENTS = """
CREATE TABLE jobs (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, site_id INTEGER NOT NULL,
    kind TEXT NOT NULL, subject INTEGER NOT NULL, seq INTEGER, status TEXT NOT NULL, claim TEXT,
    not_before INTEGER NOT NULL DEFAULT 0,
    wait_ms INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX jobs_site_id_kind_subject ON jobs (site_id, kind, subject);
CREATE INDEX jobs_due ON jobs (not_before) WHERE status = 'waiting';
CREATE INDEX jobs_claimed ON jobs (site_id) WHERE claim IS NOT NULL;
CREATE INDEX jobs_in_order ON jobs (site_id, seq) WHERE seq IS NOT NULL;
INSERT INTO jobs (site_id, kind, subject, seq, status)
    SELECT site_id, 'import', id, turn, CASE status WHEN 'failed' THEN 'failed' ELSE 'waiting' END
    FROM imports AS i WHERE status IN ('queued', 'running') OR status = 'failed' AND NOT EXISTS
    (SELECT 1 FROM undos AS u WHERE u.site_id = i.site_id AND u.source = 'import' AND u.source_id = i.id)
    ORDER BY id;
INSERT INTO jobs (site_id, kind, subject, seq, status)
    SELECT site_id, 'undo', id, turn, CASE status WHEN 'failed' THEN 'failed' ELSE 'waiting' END
    FROM undos WHERE status IN ('queued', 'running', 'failed') ORDER BY id;
DROP INDEX imports_receiving;
ALTER TABLE imports RENAME COLUMN lease_until TO receiving_until;
CREATE INDEX imports_receiving ON imports (receiving_until) WHERE status = 'receiving';
ALTER TABLE imports DROP COLUMN claim;
ALTER TABLE imports DROP COLUMN attempts;
ALTER TABLE undos DROP COLUMN claim;
ALTER TABLE undos DROP COLUMN lease_until;
ALTER TABLE undos DROP COLUMN attempts;
INSERT INTO jobs (site_id, kind, subject, status)
    SELECT site_id, 'webhook', id, 'waiting' FROM webhooks WHERE paused = '' ORDER BY id;
ALTER TABLE webhooks DROP COLUMN retry_at;
ALTER TABLE webhooks DROP COLUMN lease_until;
INSERT INTO jobs (site_id, kind, subject, status)
    SELECT site_id, 'file', id, 'waiting' FROM file_uploads
    WHERE task IN ('try', 'import') OR to_search > 0 AND import_id = 0 ORDER BY id;
ALTER TABLE file_uploads DROP COLUMN lease_until;
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
