"""Files that wait for an operator to say what their columns mean, and whose file an import was. Frozen."""

from typing import Any

STATEMENTS = """
CREATE TABLE file_uploads (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    file TEXT NOT NULL,
    name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    reading TEXT NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX file_uploads_site_id_id ON file_uploads (site_id, id);
CREATE TABLE imported_files (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    import_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    actor TEXT NOT NULL
);
CREATE UNIQUE INDEX imported_files_site_id_import_id ON imported_files (site_id, import_id)
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
