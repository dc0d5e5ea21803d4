"""How many a saved segment had on each day. Frozen."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql(
        "CREATE TABLE segment_counts (site_id INTEGER NOT NULL, segment_id INTEGER NOT NULL, "
        "day TEXT NOT NULL, people INTEGER NOT NULL, PRIMARY KEY (site_id, segment_id, day)) WITHOUT ROWID"
    )
