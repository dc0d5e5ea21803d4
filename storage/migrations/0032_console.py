"""Until when an act's selection is held by who chooses; what forms made. Frozen: it imports nothing."""

from typing import Any

STATEMENTS = """
ALTER TABLE bulk_acts ADD COLUMN lease_until INTEGER NOT NULL DEFAULT 0;
CREATE TABLE sent_forms (
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    form TEXT NOT NULL,
    result TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, form)
)
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
