"""How many a saved segment had on each day. Frozen."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql(
        "CREATE TABLE segment_counts (site_id bigint NOT NULL, segment_id bigint NOT NULL, "
        'day text COLLATE "C" NOT NULL, people bigint NOT NULL, PRIMARY KEY (segment_id, day, site_id))'
    )
