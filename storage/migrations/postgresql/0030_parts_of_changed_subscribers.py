"""The parts of the index of whom the record changed, as on SQLite; its key stays. Frozen.

Older code, which does not fill in the part, may not go on writing.
"""

from typing import Any

STATEMENTS = """
ALTER TABLE changed_subscribers ADD COLUMN part bigint NOT NULL DEFAULT 0;
UPDATE changed_subscribers SET part = number / 65536 WHERE number > 0;
UPDATE changed_subscribers SET part = change_log.number / 65536 FROM change_log
    WHERE changed_subscribers.number < 0 AND change_log.site_id = changed_subscribers.site_id
    AND change_log.id = -changed_subscribers.number;
ALTER TABLE changed_subscribers ALTER COLUMN part DROP DEFAULT;
DROP INDEX changed_subscribers_site_id;
CREATE INDEX changed_subscribers_site_id_part ON changed_subscribers (site_id, part);
UPDATE instance_state SET lowest_writer = 2
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
