"""The table of the log of erasures has who was unsubscribed and resubscribed. Frozen."""

from typing import Any

ADDITIVE = True
STATEMENTS = """
ALTER TABLE logged_erasures ADD COLUMN kind TEXT NOT NULL DEFAULT 'erased';
ALTER TABLE logged_erasures ADD COLUMN person_hash TEXT;
ALTER TABLE logged_erasures ADD COLUMN shown_at INTEGER;
ALTER TABLE logged_erasures ADD COLUMN logged_at INTEGER;
CREATE INDEX logged_erasures_site_uuid_address_hash ON logged_erasures (site_uuid, address_hash);
CREATE INDEX logged_erasures_site_uuid_person_hash ON logged_erasures (site_uuid, person_hash)
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
