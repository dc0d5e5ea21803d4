"""Tags are compared without invisible characters, and runs of blanks as one. Frozen.

Older code, which compares them otherwise, may not go on writing.

Of those that are now one, the oldest has the name; the key of another is its own, " ID KEY".
"""

import unicodedata
from typing import Any


def key_of(name: str) -> str:
    seen = "".join(each for each in name if each.isspace() or unicodedata.category(each) not in ("Cc", "Cf"))
    return unicodedata.normalize("NFC", " ".join(seen.split())).casefold()


def up(_migrator: Any, db: Any) -> None:
    found = db.execute_sql("SELECT id, site_id, name, name_key FROM tags ORDER BY id").fetchall()
    taken, twins, others = set[tuple[int, str]](), list[tuple[str, int, int]](), list[tuple[str, int, int]]()
    for tag_id, site_id, name, before in found:
        key = key_of(name) or name.casefold()
        changed = twins if (site_id, key) in taken else others
        taken.add((site_id, key))
        new = f" {tag_id} {key}" if changed is twins else key
        if new != before:
            changed.append((new, site_id, tag_id))
    for values in (*twins, *others):
        db.execute_sql("UPDATE tags SET name_key = %s WHERE site_id = %s AND id = %s", values)
    db.execute_sql("UPDATE instance_state SET lowest_writer = 3")
