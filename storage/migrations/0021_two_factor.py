"""Two-factor sign-in of operators. Frozen."""

from typing import Any

ADDITIVE = True
STATEMENTS = """
ALTER TABLE operators ADD COLUMN two_factor TEXT NOT NULL DEFAULT '';
ALTER TABLE operators ADD COLUMN code_step INTEGER NOT NULL DEFAULT 0;
ALTER TABLE operators ADD COLUMN recovery_codes TEXT NOT NULL DEFAULT '[]'
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
