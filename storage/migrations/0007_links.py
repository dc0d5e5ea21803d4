"""Generations of links, whose rows are gone, and webhooks that send links. Frozen."""

from typing import Any

ADDITIVE = True
STATEMENTS = """
CREATE TABLE link_generations (site_id INTEGER NOT NULL, generation INTEGER NOT NULL, nonce TEXT NOT NULL,
    lowest INTEGER NOT NULL, made_at INTEGER NOT NULL, PRIMARY KEY (site_id, generation)) WITHOUT ROWID;
CREATE TABLE former_links (site_id INTEGER NOT NULL, uuid_hash TEXT NOT NULL, address_hash TEXT NOT NULL,
    subscriber_id INTEGER, at INTEGER NOT NULL, PRIMARY KEY (site_id, uuid_hash)) WITHOUT ROWID;
CREATE INDEX former_links_site_id_address_hash ON former_links (site_id, address_hash);
ALTER TABLE webhooks ADD COLUMN links INTEGER NOT NULL DEFAULT 0
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
