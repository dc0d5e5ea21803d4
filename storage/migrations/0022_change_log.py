"""The record of changes. Frozen: it imports nothing.

Of what was before nothing is known: each site's record begins with an entry that says to copy it whole.
"""

from typing import Any

STATEMENTS = """
ALTER TABLE site_counters ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE site_counters ADD COLUMN oldest_change INTEGER NOT NULL DEFAULT 1;
ALTER TABLE site_counters ADD COLUMN change_bytes INTEGER NOT NULL DEFAULT 0;
CREATE TABLE change_log (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    count INTEGER NOT NULL,
    at INTEGER NOT NULL,
    source TEXT NOT NULL,
    source_id INTEGER NOT NULL,
    entries BLOB NOT NULL
);
CREATE INDEX change_log_site_id_id ON change_log (site_id, id);
CREATE INDEX change_log_site_id_number ON change_log (site_id, number) WHERE count > 0;
CREATE TABLE changed_subscribers (
    site_id INTEGER NOT NULL,
    subscriber_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (site_id, subscriber_id, number)
) WITHOUT ROWID;
CREATE TABLE erased_subscribers (
    site_id INTEGER NOT NULL,
    subscriber_id INTEGER NOT NULL,
    uuid TEXT NOT NULL,
    number INTEGER NOT NULL,
    waiting INTEGER NOT NULL,
    PRIMARY KEY (site_id, subscriber_id)
) WITHOUT ROWID;
CREATE INDEX erased_subscribers_waiting ON erased_subscribers (site_id) WHERE waiting = 1;
ALTER TABLE discarded_tags ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE discarded_tags ADD COLUMN source TEXT NOT NULL DEFAULT 'operator';
ALTER TABLE discarded_tags ADD COLUMN source_id INTEGER NOT NULL DEFAULT 0;
INSERT INTO change_log (site_id, number, count, at, source, source_id, entries)
    SELECT id, 1, 1, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'migration', 0,
    x'7801AB562A4A2D4E2D51B22A292A4DAD050026D8055A' FROM sites;
INSERT INTO site_counters (site_id, accepted, users, unsubscribers, changes, change_bytes)
    SELECT id, 0, 0, 0, 1, 22 FROM sites WHERE true
    ON CONFLICT (site_id) DO UPDATE SET changes = 1, change_bytes = 22
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
