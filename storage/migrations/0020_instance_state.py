"""One row: where the instance is, and which code may write it. Frozen."""

from typing import Any

TABLE = """
CREATE TABLE instance_state (
    id INTEGER NOT NULL PRIMARY KEY,
    lowest_writer INTEGER NOT NULL,
    move TEXT NOT NULL,
    phase TEXT NOT NULL,
    other TEXT NOT NULL,
    at INTEGER NOT NULL
)
"""


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql(TABLE)
    db.execute_sql("INSERT INTO instance_state VALUES (1, 1, '', '', '', 0)")
