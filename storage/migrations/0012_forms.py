"""Forms by which visitors sign up, and the versions of their wording. Frozen."""

from typing import Any

ADDITIVE = True
STATEMENTS = """
CREATE TABLE forms (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, name TEXT NOT NULL,
    state TEXT NOT NULL, version INTEGER NOT NULL, definition TEXT NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL);
CREATE INDEX forms_site_id_id ON forms (site_id, id);
CREATE TABLE form_wordings (site_id INTEGER NOT NULL, form_id INTEGER NOT NULL, version INTEGER NOT NULL,
    language TEXT NOT NULL, text TEXT NOT NULL, made_at INTEGER NOT NULL,
    PRIMARY KEY (site_id, form_id, version, language)) WITHOUT ROWID
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
