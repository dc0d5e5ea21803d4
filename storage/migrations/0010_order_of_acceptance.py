"""The numbers by which consent is ordered, in place of the clock. Frozen: it never imports today's models.

Instants of before become numbers, in milliseconds times 1,000, so that imports that wait keep their order
among each other and with the consent given until now; in a doubtful tie, nobody is subscribed.
"""

from collections import defaultdict
from typing import Any

STATEMENTS = """
CREATE TABLE site_counters (
    site_id INTEGER NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
    accepted INTEGER NOT NULL
);
ALTER TABLE subscribers ADD COLUMN consent_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE suppressions ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE subscribers SET consent_number =
    consent_at * 1000 + CASE WHEN unsubscribed_at IS NULL THEN 0 ELSE 999 END
    WHERE consent_at IS NOT NULL;
UPDATE suppressions SET number = since * 1000 + 999;
UPDATE imports SET turn = accepted_at * 1000 WHERE turn IS NOT NULL AND status NOT IN ('queued', 'running')
"""
COUNTERS = """
INSERT INTO site_counters (site_id, accepted)
    SELECT s.id, max(
        COALESCE((SELECT max(consent_number) FROM subscribers WHERE site_id = s.id), 0),
        COALESCE((SELECT max(number) FROM suppressions WHERE site_id = s.id), 0),
        COALESCE((SELECT max(turn) FROM imports WHERE site_id = s.id), 0)
    ) FROM sites s
"""
WAITING = (
    "SELECT id, site_id, accepted_at FROM imports "
    "WHERE status IN ('queued', 'running') ORDER BY site_id, turn"
)


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
    last: dict[int, int] = defaultdict(int)
    for import_id, site_id, accepted_at in db.execute_sql(WAITING).fetchall():
        last[site_id] = max(accepted_at * 1000, last[site_id] + 1)
        db.execute_sql("UPDATE imports SET turn = ? WHERE id = ?", (last[site_id], import_id))
    db.execute_sql(COUNTERS)
