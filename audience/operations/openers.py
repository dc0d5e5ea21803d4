"""The functions of `app.py` that set the state of this process, for operations on another instance."""

from collections.abc import Callable
from dataclasses import dataclass

from audience.config import Settings


@dataclass(frozen=True)
class Openers:
    """How `app.py` sets the state of this process: all of it, or the database without a pepper."""

    process: Callable[[Settings], None]
    database: Callable[[Settings], None]
