"""Domains as sets of subscribers, like custom values, in place of an index and counters; whose an event is in
the index of events by type. Frozen.
"""

from array import array
from itertools import groupby, islice
from typing import Any

from pyroaring import BitMap

VALUES = """
INSERT INTO distinct_values (site_id, field_id, folded, label, kind)
    SELECT DISTINCT site_id, 0, substr(email_key, instr(email_key, '@') + 1), '', 0 FROM subscribers
"""
HOLDERS = (
    "SELECT v.site_id, v.id, s.id >> 16, s.id FROM subscribers AS s CROSS JOIN distinct_values AS v "
    "ON v.site_id = s.site_id AND v.field_id = 0 "
    "AND v.folded = substr(s.email_key, instr(s.email_key, '@') + 1) ORDER BY v.id, s.id"
)
INSERT = "INSERT INTO value_holders VALUES (?, ?, ?, ?, ?)"
EVENTS = (
    "CREATE INDEX events_site_id_type_occurred_at_subscriber_id "
    "ON events (site_id, type, occurred_at, subscriber_id)"
)
FEW = 16


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql(VALUES)
    sets = sets_of(iter(db.execute_sql(HOLDERS)))
    while chunk := list(islice(sets, 1_000)):
        db.execute_many(INSERT, chunk)
    db.execute_sql("DROP INDEX subscribers_site_id_domain")
    db.execute_sql("DROP TABLE domains")
    db.execute_sql("DROP INDEX events_site_id_type_occurred_at")
    db.execute_sql(EVENTS)


def sets_of(rows: Any) -> Any:
    for key, members in groupby(rows, key=lambda row: row[:3]):
        holders = BitMap([row[3] for row in members])
        yield (
            *key,
            len(holders),
            array("I", holders).tobytes() if len(holders) <= FEW else holders.serialize(),
        )
