"""Requests that were sent with an Idempotency-Key, and what they made. Frozen."""

from typing import Any

ADDITIVE = True
STATEMENTS = """
CREATE TABLE idempotency_keys (site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    key_hash TEXT NOT NULL, request_hash TEXT NOT NULL, status INTEGER NOT NULL, ids TEXT NOT NULL,
    claim TEXT NOT NULL, lease INTEGER NOT NULL, created_at INTEGER NOT NULL,
    PRIMARY KEY (site_id, key_hash)) WITHOUT ROWID;
CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at)
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
