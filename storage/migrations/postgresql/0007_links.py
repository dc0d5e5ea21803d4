"""Generations of links, whose rows are gone, and webhooks that send links, as on SQLite. Frozen."""

from typing import Any

ADDITIVE = True
STATEMENTS = """
CREATE TABLE link_generations (site_id bigint NOT NULL, generation bigint NOT NULL,
    nonce text COLLATE "C" NOT NULL, lowest bigint NOT NULL, made_at bigint NOT NULL,
    PRIMARY KEY (generation, site_id));
CREATE TABLE former_links (site_id bigint NOT NULL, uuid_hash text COLLATE "C" NOT NULL,
    address_hash text COLLATE "C" NOT NULL, subscriber_id bigint, at bigint NOT NULL,
    PRIMARY KEY (uuid_hash, site_id));
CREATE INDEX former_links_address_hash ON former_links (address_hash, site_id);
CREATE INDEX former_links_site_id ON former_links (site_id);
ALTER TABLE webhooks ADD COLUMN links bigint NOT NULL DEFAULT 0
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
