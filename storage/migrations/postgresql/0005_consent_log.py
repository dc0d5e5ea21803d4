"""The table of the log of erasures has who was unsubscribed and resubscribed, too. Frozen.

Older code, which does not log them, may not go on writing.
"""

from typing import Any

ADDITIVE = True
STATEMENTS = """
ALTER TABLE logged_erasures ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT 'erased';
ALTER TABLE logged_erasures ADD COLUMN person_hash text COLLATE "C";
ALTER TABLE logged_erasures ADD COLUMN shown_at bigint;
ALTER TABLE logged_erasures ADD COLUMN logged_at bigint;
CREATE INDEX logged_erasures_address ON logged_erasures (site_uuid, address_hash);
CREATE INDEX logged_erasures_person ON logged_erasures (site_uuid, person_hash);
UPDATE instance_state SET lowest_writer = 6
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
