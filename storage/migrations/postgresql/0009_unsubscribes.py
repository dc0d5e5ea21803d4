"""Unsubscribes of a site by their instant, for the report by reason and source. Frozen."""

from typing import Any

ADDITIVE = True


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql(
        "CREATE INDEX consent_changes_unsubscribed ON consent_changes (site_id, at) WHERE NOT subscribed"
    )
