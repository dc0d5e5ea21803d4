"""Indexes to find subscribers by domain and by name. Frozen: it never imports today's models."""

from typing import Any

INDEXES = (
    "CREATE INDEX subscribers_site_id_domain ON subscribers "
    "(site_id, substr(email_key, instr(email_key, '@') + 1))",
    "CREATE INDEX subscribers_site_id_first_name ON subscribers (site_id, first_name COLLATE NOCASE) "
    "WHERE first_name <> ''",
    "CREATE INDEX subscribers_site_id_last_name ON subscribers (site_id, last_name COLLATE NOCASE) "
    "WHERE last_name <> ''",
)


def up(_migrator: Any, db: Any) -> None:
    for index in INDEXES:
        db.execute_sql(index)
