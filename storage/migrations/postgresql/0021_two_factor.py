"""Two-factor sign-in of operators, as on SQLite. Frozen."""

from typing import Any

ADDITIVE = True
STATEMENTS = """
ALTER TABLE operators ADD COLUMN two_factor text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE operators ADD COLUMN code_step bigint NOT NULL DEFAULT 0;
ALTER TABLE operators ADD COLUMN recovery_codes text COLLATE "C" NOT NULL DEFAULT '[]'
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
