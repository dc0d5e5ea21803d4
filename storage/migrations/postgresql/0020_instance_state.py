"""One row: where the instance is, and which code may write it. Frozen."""

from typing import Any

TABLE = """
CREATE TABLE instance_state (
    id integer PRIMARY KEY, lowest_writer integer NOT NULL, move text COLLATE "C" NOT NULL,
    phase text COLLATE "C" NOT NULL, other text COLLATE "C" NOT NULL, at bigint NOT NULL
)
"""


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql(TABLE)
    db.execute_sql("INSERT INTO instance_state VALUES (1, 1, '', '', '', 0)")
