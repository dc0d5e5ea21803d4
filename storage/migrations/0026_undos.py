"""Undos, what became of whom they were about, and the rows of the record by what wrote them. Frozen."""

from typing import Any

STATEMENTS = """
CREATE TABLE undos (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    source TEXT NOT NULL,
    source_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    rows INTEGER NOT NULL,
    applied INTEGER NOT NULL DEFAULT 0,
    removed INTEGER NOT NULL DEFAULT 0,
    restored INTEGER NOT NULL DEFAULT 0,
    kept INTEGER NOT NULL DEFAULT 0,
    unsubscribed_kept INTEGER NOT NULL DEFAULT 0,
    unsubscribed_again INTEGER NOT NULL DEFAULT 0,
    claim TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    turn INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL,
    first_row INTEGER NOT NULL,
    first_number INTEGER NOT NULL,
    place_row INTEGER NOT NULL,
    place INTEGER NOT NULL DEFAULT 0,
    made TEXT NOT NULL DEFAULT '{}'
);
CREATE UNIQUE INDEX undos_site_id_source_source_id ON undos (site_id, source, source_id);
CREATE INDEX undos_waiting ON undos (site_id, turn) WHERE status IN ('queued', 'running');
CREATE TABLE undo_people (
    site_id INTEGER NOT NULL,
    undo_id INTEGER NOT NULL,
    subscriber_id INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    source TEXT NOT NULL,
    source_id INTEGER NOT NULL,
    PRIMARY KEY (site_id, undo_id, subscriber_id)
) WITHOUT ROWID;
CREATE INDEX change_log_site_id_source ON change_log (site_id, source, source_id, id)
    WHERE source IN ('import', 'bulk_act')
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
