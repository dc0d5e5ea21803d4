"""Undo keeps how far it has read who is mentioned. Frozen.

Who was unsubscribed again by what came late, which the record noted, is so by the number of their last
unsubscribe: it is another than that of the event which counts.
"""

import json
import zlib
from typing import Any

ADDITIVE = True
READ = "SELECT id, site_id, entries FROM change_log WHERE id > ? ORDER BY id LIMIT 100"
MARK = (
    "UPDATE subscribers SET unsubscribe_number = consent_number - 1 WHERE site_id = ? AND id = ? "
    "AND unsubscribed_at IS NOT NULL AND unsubscribe_number = consent_number"
)


def up(_migrator: Any, db: Any) -> None:
    for column in ("read_row", "read_batch", "read_piece"):
        db.execute_sql(f"ALTER TABLE undos ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
    db.execute_sql("UPDATE undos SET read_row = first_row")
    last = 0
    while found := db.execute_sql(READ, (last,)).fetchall():
        for row_id, site_id, entries in found:
            last, text = row_id, zlib.decompress(entries)
            if b'"overtaken"' in text:
                for subscriber_id in json.loads(text).get("overtaken", ()):
                    db.execute_sql(MARK, (site_id, subscriber_id))
