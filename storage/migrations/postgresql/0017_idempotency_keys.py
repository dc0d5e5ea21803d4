"""Requests that were sent with an Idempotency-Key, as on SQLite. Frozen."""

from typing import Any

ADDITIVE = True
STATEMENTS = """
CREATE TABLE idempotency_keys (site_id bigint NOT NULL, key_hash text COLLATE "C" NOT NULL,
    request_hash text COLLATE "C" NOT NULL, status bigint NOT NULL, ids text COLLATE "C" NOT NULL,
    claim text COLLATE "C" NOT NULL, lease bigint NOT NULL, created_at bigint NOT NULL,
    PRIMARY KEY (site_id, key_hash));
CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at)
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
