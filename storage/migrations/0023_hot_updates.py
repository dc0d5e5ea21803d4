"""Nothing: on PostgreSQL, an update of a subscriber writes fewer indexes from here on. Frozen."""

from typing import Any

ADDITIVE = True


def up(_migrator: Any, _db: Any) -> None:
    pass
