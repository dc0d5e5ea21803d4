"""Requests to be mailed one's links, until the email is sent. Frozen."""

from typing import Any

ADDITIVE = True
STATEMENTS = """
CREATE TABLE link_requests (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, address_hash TEXT NOT NULL,
    email TEXT NOT NULL, language TEXT NOT NULL, base_url TEXT NOT NULL, requested_at INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0);
CREATE INDEX link_requests_site_id_address_hash ON link_requests (site_id, address_hash)
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
