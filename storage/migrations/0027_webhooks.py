"""Webhooks, and the log of their deliveries. Frozen: it imports nothing."""

from typing import Any

STATEMENTS = """
CREATE TABLE webhooks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    kinds TEXT NOT NULL,
    segment_id INTEGER REFERENCES segments (id),
    paused TEXT NOT NULL,
    nonce TEXT NOT NULL,
    old_nonce TEXT NOT NULL,
    old_nonce_until INTEGER NOT NULL,
    place INTEGER NOT NULL,
    run INTEGER NOT NULL,
    range_end INTEGER NOT NULL,
    resets INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    retry_at INTEGER NOT NULL,
    lease_until INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE INDEX webhooks_site_id_id ON webhooks (site_id, id);
CREATE INDEX webhooks_segment_id ON webhooks (segment_id);
CREATE TABLE webhook_deliveries (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    webhook_id INTEGER NOT NULL,
    message_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status INTEGER,
    milliseconds INTEGER NOT NULL,
    answer TEXT NOT NULL,
    failure TEXT NOT NULL
);
CREATE INDEX webhook_deliveries_at ON webhook_deliveries (at);
CREATE INDEX webhook_deliveries_site_id_webhook_id_id ON webhook_deliveries (site_id, webhook_id, id);
CREATE INDEX webhook_deliveries_answered ON webhook_deliveries (site_id) WHERE answer <> ''
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
