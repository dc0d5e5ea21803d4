"""Domains as sets of subscribers, and the index of events by type, as on SQLite. Frozen."""

from array import array
from itertools import groupby, islice
from typing import Any

from pyroaring import BitMap

VALUES = """
INSERT INTO distinct_values (site_id, field_id, folded, label, kind)
    SELECT DISTINCT site_id, 0, substr(email_key, strpos(email_key, '@') + 1), '', 0 FROM subscribers
"""
HOLDERS = (
    "SELECT v.site_id, v.id, s.id >> 16, s.id FROM distinct_values AS v JOIN subscribers AS s "
    "ON s.site_id = v.site_id AND substr(s.email_key, strpos(s.email_key, '@') + 1) = v.folded "
    "WHERE v.field_id = 0 ORDER BY v.id, s.id"
)
INSERT = "INSERT INTO value_holders VALUES (%s, %s, %s, %s, %s)"
EVENTS = (
    "CREATE INDEX events_site_id_type_occurred_at_subscriber_id "
    "ON events (site_id, type, occurred_at, subscriber_id)"
)
FEW = 16


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql(VALUES)
    with db.connection().cursor(name="holders") as cursor:  # on the server: it has a row for each subscriber
        cursor.itersize = 20_000
        cursor.execute(HOLDERS)
        sets = sets_of(iter(cursor))
        while chunk := list(islice(sets, 1_000)):
            db.cursor().executemany(INSERT, chunk)
    db.execute_sql(EVENTS)
    db.execute_sql("DROP INDEX subscribers_site_id_domain")
    db.execute_sql("DROP TABLE domains")
    db.execute_sql("DROP INDEX events_site_id_type_occurred_at")
    db.execute_sql("UPDATE instance_state SET lowest_writer = 9")


def sets_of(rows: Any) -> Any:
    for key, members in groupby(rows, key=lambda row: row[:3]):
        holders = BitMap([row[3] for row in members])
        yield (
            *key,
            len(holders),
            array("I", holders).tobytes() if len(holders) <= FEW else holders.serialize(),
        )
