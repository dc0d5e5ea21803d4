"""Acts of operators on many subscribers, and whom they are on, in pieces. Frozen."""

from typing import Any

STATEMENTS = """
CREATE TABLE bulk_acts (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    tag TEXT NOT NULL,
    status TEXT NOT NULL,
    actor TEXT NOT NULL,
    client_network TEXT NOT NULL,
    undoes INTEGER,
    people INTEGER NOT NULL,
    done INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER
);
CREATE INDEX bulk_acts_site_id_id ON bulk_acts (site_id, id);
CREATE INDEX bulk_acts_status ON bulk_acts (status);
CREATE TABLE bulk_act_pieces (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    bulk_act_id INTEGER NOT NULL REFERENCES bulk_acts (id) ON DELETE CASCADE,
    ids TEXT NOT NULL,
    waiting INTEGER NOT NULL
);
CREATE INDEX bulk_act_pieces_bulk_act_id_waiting_id ON bulk_act_pieces (bulk_act_id, waiting, id)
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
