"""Tags that were renamed or merged, and the custom field that a bulk action deletes. Frozen."""

from typing import Any

ADDITIVE = True
STATEMENTS = """
CREATE TABLE tag_renames (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, tag_id INTEGER NOT NULL,
    into_id INTEGER NOT NULL, name TEXT NOT NULL, name_key TEXT NOT NULL, number INTEGER NOT NULL,
    source TEXT NOT NULL, source_id INTEGER NOT NULL, position INTEGER NOT NULL DEFAULT 0,
    is_told INTEGER NOT NULL DEFAULT 0);
CREATE INDEX tag_renames_site_id_name_key ON tag_renames (site_id, name_key);
ALTER TABLE bulk_acts ADD COLUMN field TEXT NOT NULL DEFAULT ''
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
