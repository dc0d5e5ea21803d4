"""Forgets the domains of nobody: those of people who were erased."""

from typing import Any


def up(_migrator: Any, db: Any) -> None:
    db.execute_sql("DELETE FROM domains WHERE people = 0")
