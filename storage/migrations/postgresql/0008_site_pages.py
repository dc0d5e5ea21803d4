"""How the public pages of a site look, as on SQLite. Frozen."""

from typing import Any

ADDITIVE = True


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("""
CREATE TABLE site_pages (site_id bigint PRIMARY KEY, name text COLLATE "C" NOT NULL DEFAULT '',
    home text COLLATE "C" NOT NULL DEFAULT '', imprint text COLLATE "C" NOT NULL DEFAULT '',
    privacy text COLLATE "C" NOT NULL DEFAULT '', language text COLLATE "C" NOT NULL DEFAULT '',
    accent text COLLATE "C" NOT NULL DEFAULT '', logo bytea NOT NULL,
    logo_type text COLLATE "C" NOT NULL DEFAULT '', logo_hash text COLLATE "C" NOT NULL DEFAULT '')
""")
