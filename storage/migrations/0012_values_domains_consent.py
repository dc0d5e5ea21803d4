"""Tables beside the subscribers: custom values, domains, changes of consent. Frozen.

Locks for about 5 s at 5 million people, to count their domains.
"""

from typing import Any

STATEMENTS = """
CREATE TABLE field_values (
    site_id INTEGER NOT NULL,
    field_id INTEGER NOT NULL,
    folded TEXT NOT NULL,
    label TEXT NOT NULL,
    kind INTEGER NOT NULL,
    subscriber_id INTEGER NOT NULL,
    number NUMERIC,
    instant INTEGER,
    PRIMARY KEY (site_id, field_id, folded, label, kind, subscriber_id)
) WITHOUT ROWID;
CREATE TABLE domains (
    site_id INTEGER NOT NULL,
    domain TEXT NOT NULL,
    people INTEGER NOT NULL,
    PRIMARY KEY (site_id, domain)
) WITHOUT ROWID;
CREATE TABLE consent_changes (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    subscriber_id INTEGER NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    subscribed INTEGER NOT NULL,
    source TEXT NOT NULL,
    source_id INTEGER NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX consent_changes_subscriber_id ON consent_changes (subscriber_id);
ALTER TABLE subscribers ADD COLUMN created_by TEXT NOT NULL DEFAULT '';
INSERT INTO domains (site_id, domain, people)
    SELECT site_id, substr(email_key, instr(email_key, '@') + 1), count(*) FROM subscribers GROUP BY 1, 2
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
