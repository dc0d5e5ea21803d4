"""Custom values once each, with sets of who has them, in place of a row for each subscriber's. Frozen."""

from array import array
from itertools import groupby, islice
from typing import Any

from pyroaring import BitMap

STATEMENTS = """
CREATE TABLE distinct_values (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, field_id INTEGER NOT NULL,
    folded TEXT NOT NULL, label TEXT NOT NULL, kind INTEGER NOT NULL, number NUMERIC, instant INTEGER);
INSERT INTO distinct_values (site_id, field_id, folded, label, kind, number, instant)
    SELECT site_id, field_id, folded, label, kind, max(number), max(instant) FROM field_values
    GROUP BY site_id, field_id, folded, label, kind ORDER BY site_id, field_id, folded, label, kind;
CREATE UNIQUE INDEX distinct_values_site_id_field_id_folded_label_kind
    ON distinct_values (site_id, field_id, folded, label, kind);
CREATE TABLE value_holders (site_id INTEGER NOT NULL, value_id INTEGER NOT NULL, block INTEGER NOT NULL,
    people INTEGER NOT NULL, members BLOB NOT NULL, PRIMARY KEY (site_id, value_id, block)) WITHOUT ROWID;
CREATE TABLE value_changes (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, added BLOB NOT NULL,
    removed BLOB NOT NULL);
CREATE INDEX value_changes_site_id_id ON value_changes (site_id, id)
"""
HOLDERS = (
    "SELECT d.site_id, d.id, f.subscriber_id >> 16, f.subscriber_id FROM distinct_values AS d "
    "CROSS JOIN field_values AS f ON f.site_id = d.site_id AND f.field_id = d.field_id "
    "AND f.folded = d.folded AND f.label = d.label AND f.kind = d.kind ORDER BY d.id, f.subscriber_id"
)
INSERT = "INSERT INTO value_holders VALUES (?, ?, ?, ?, ?)"
FEW = 16


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
    sets = sets_of(iter(db.execute_sql(HOLDERS)))
    while chunk := list(islice(sets, 1_000)):
        db.execute_many(INSERT, chunk)
    db.execute_sql("DROP TABLE field_values")


def sets_of(rows: Any) -> Any:
    for key, members in groupby(rows, key=lambda row: row[:3]):
        holders = BitMap([row[3] for row in members])
        yield (
            *key,
            len(holders),
            array("I", holders).tobytes() if len(holders) <= FEW else holders.serialize(),
        )
