"""The own address of a site's public pages. Frozen."""

from typing import Any

ADDITIVE = True


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("""ALTER TABLE site_pages ADD COLUMN base_url text COLLATE "C" NOT NULL DEFAULT ''""")
