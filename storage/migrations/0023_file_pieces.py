"""The contents of files that operators send, where several hosts share the database. Frozen."""

from typing import Any

STATEMENTS = """
CREATE TABLE file_pieces (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    file TEXT NOT NULL,
    number INTEGER NOT NULL,
    content BLOB NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX file_pieces_site_id_file_number ON file_pieces (site_id, file, number)
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
