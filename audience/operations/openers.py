"""The functions of `app.py` that set the state of this process, for operations on another instance."""

from collections.abc import Callable
from dataclasses import dataclass

from audience.config import Settings


@dataclass(frozen=True)
class Openers:
    """The functions by which `app.py` opens an instance: all of this process, or only the database."""

    process: Callable[[Settings], None]
    database: Callable[[Settings], None]
