"""The log of erasures, where several hosts share the database; a file's lies beside it. Frozen."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql(
        """
        CREATE TABLE logged_erasures (
            id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            site_uuid TEXT NOT NULL,
            address_hash TEXT NOT NULL,
            at INTEGER NOT NULL,
            number INTEGER,
            pepper_check TEXT
        )
        """
    )
