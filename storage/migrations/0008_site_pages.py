"""How the public pages of a site look. Frozen."""

from typing import Any

ADDITIVE = True


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("""
CREATE TABLE site_pages (site_id INTEGER NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
    name TEXT NOT NULL DEFAULT '', home TEXT NOT NULL DEFAULT '', imprint TEXT NOT NULL DEFAULT '',
    privacy TEXT NOT NULL DEFAULT '', language TEXT NOT NULL DEFAULT '', accent TEXT NOT NULL DEFAULT '',
    logo BLOB NOT NULL, logo_type TEXT NOT NULL DEFAULT '', logo_hash TEXT NOT NULL DEFAULT '')
""")
