"""An update of a subscriber that changes no indexed column writes no index. Frozen.

`updated_at`, which each update changes, leaves its only index; a tenth of a page is kept for updated rows.
"""

from typing import Any

ADDITIVE = True
INDEX = "subscribers_site_id_created_at"


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql(
        "CREATE INDEX created_at_dates ON subscribers "
        "(site_id, created_at, id, last_event_at, unsubscribed_at)"
    )
    db.execute_sql("ALTER TABLE subscribers SET (fillfactor = 90)")
    db.execute_sql(f"DROP INDEX {INDEX}")  # only from here on readers wait
    db.execute_sql(f"ALTER INDEX created_at_dates RENAME TO {INDEX}")
