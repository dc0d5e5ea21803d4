"""Until when a selection is held; what forms made; the site used last. Frozen: it imports nothing."""

from typing import Any

STATEMENTS = """
ALTER TABLE bulk_acts ADD COLUMN lease_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE operators ADD COLUMN last_site_id INTEGER;
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
