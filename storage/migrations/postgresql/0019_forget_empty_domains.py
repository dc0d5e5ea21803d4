"""Domains at which nobody is left are forgotten: no PostgreSQL has any from before. Frozen."""

from typing import Any


def up(_migrator: Any, _db: Any) -> None:
    pass
