"""A nonce for the key of each site: empty for those that were there before sites had keys. Frozen."""

from typing import Any

ADDITIVE = True


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE sites ADD COLUMN key_nonce TEXT NOT NULL DEFAULT ''")
