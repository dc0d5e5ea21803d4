"""Until when an act's selection is held by who chooses; what forms made. Frozen.

Older code, which holds none and keeps none, may go on writing.
"""

from typing import Any

STATEMENTS = """
ALTER TABLE bulk_acts ADD COLUMN lease_until bigint NOT NULL DEFAULT 0;
CREATE TABLE sent_forms (
    session_id bigint NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, form text COLLATE "C" NOT NULL,
    result text COLLATE "C" NOT NULL, created_at bigint NOT NULL,
    PRIMARY KEY (session_id, form)
)
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
