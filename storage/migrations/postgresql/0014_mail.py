"""Who the emails of a site are from. Frozen."""

from typing import Any

ADDITIVE = True


def up(_migrator: Any, db: Any) -> None:
    for name in ("mail_from", "mail_name", "reply_to"):
        db.execute_sql(f"""ALTER TABLE site_pages ADD COLUMN {name} text COLLATE "C" NOT NULL DEFAULT ''""")
