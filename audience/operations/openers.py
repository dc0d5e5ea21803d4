"""The functions of `app.py` that set the state of this process, for operations on another instance."""

from collections.abc import Callable
from dataclasses import dataclass

from audience.config import Settings


@dataclass(frozen=True)
class Openers:
    """The functions by which `app.py` opens the instance: the whole state of this process, or the database
    without a pepper.
    """

    process: Callable[[Settings], None]
    database: Callable[[Settings], None]
