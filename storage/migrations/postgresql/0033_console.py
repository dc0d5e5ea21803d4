"""Until when a selection is held; what forms made; the site used last. Frozen.

Older code, which keeps none of it, may go on writing.
"""

from typing import Any

STATEMENTS = """
ALTER TABLE bulk_acts ADD COLUMN lease_until bigint NOT NULL DEFAULT 0;
ALTER TABLE operators ADD COLUMN last_site_id bigint;
CREATE TABLE sent_forms (
    session_id bigint NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, form text COLLATE "C" NOT NULL,
    result text COLLATE "C" NOT NULL, created_at bigint NOT NULL,
    PRIMARY KEY (session_id, form)
)
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
