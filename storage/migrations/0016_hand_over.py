"""Sign-ups that are handed over to a webhook, and the further values that forms ask for. Frozen."""

from typing import Any

STATEMENTS = """
ALTER TABLE webhooks ADD COLUMN sign_ups INTEGER NOT NULL DEFAULT 0;
ALTER TABLE forms ADD COLUMN delivery TEXT NOT NULL DEFAULT 'smtp';
ALTER TABLE consent_proofs ADD COLUMN delivery TEXT NOT NULL DEFAULT 'smtp';
ALTER TABLE sign_ups ADD COLUMN delivery TEXT NOT NULL DEFAULT 'smtp';
ALTER TABLE sign_ups ADD COLUMN fields TEXT NOT NULL DEFAULT '{}';
UPDATE sign_ups SET fields = json_patch(
    CASE first_name WHEN '' THEN '{}' ELSE json_object('first_name', first_name) END,
    CASE last_name WHEN '' THEN '{}' ELSE json_object('last_name', last_name) END);
ALTER TABLE sign_ups DROP COLUMN first_name;
ALTER TABLE sign_ups DROP COLUMN last_name
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
