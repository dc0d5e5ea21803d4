"""Sign-ups that are handed over to a webhook, and the further values that forms ask for, as on SQLite.
Frozen.
"""

from typing import Any

STATEMENTS = """
ALTER TABLE webhooks ADD COLUMN sign_ups bigint NOT NULL DEFAULT 0;
ALTER TABLE forms ADD COLUMN delivery text COLLATE "C" NOT NULL DEFAULT 'smtp';
ALTER TABLE consent_proofs ADD COLUMN delivery text COLLATE "C" NOT NULL DEFAULT 'smtp';
ALTER TABLE sign_ups ADD COLUMN delivery text COLLATE "C" NOT NULL DEFAULT 'smtp';
ALTER TABLE sign_ups ADD COLUMN fields text COLLATE "C" NOT NULL DEFAULT '{}';
UPDATE sign_ups SET fields = (
    CASE first_name WHEN '' THEN '{}' ELSE jsonb_build_object('first_name', first_name) END
    || CASE last_name WHEN '' THEN '{}' ELSE jsonb_build_object('last_name', last_name) END)::text,
    first_name = '', last_name = '';
ALTER TABLE sign_ups DROP COLUMN first_name;
ALTER TABLE sign_ups DROP COLUMN last_name;
UPDATE instance_state SET lowest_writer = 8
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
