"""What an examination finds, and the instance that is examined."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from audience.config import Settings
from audience.ports import Processes
from storage import database


class State(StrEnum):
    OK = "ok"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True)
class Finding:
    """What a check found; `advice` is empty when there is nothing to do."""

    check: str
    state: State
    found: str
    advice: str = ""


@dataclass(frozen=True)
class Case:
    """An instance to examine, and how thoroughly. `connect` opens its database as it is."""

    settings: Settings
    processes: Processes
    connect: Callable[[], None]
    offline: bool = False
    recount: bool = False
    fix: bool = False

    @cached_property
    def database_file(self) -> Path:
        return database.file(self.settings.database)

    @cached_property
    def serving(self) -> bool:
        return self.processes.serving()


def ok(check: str, found: str) -> Finding:
    return Finding(check, State.OK, found)


def warn(check: str, found: str, advice: str = "") -> Finding:
    return Finding(check, State.WARN, found, advice)


def bad(check: str, found: str, advice: str = "") -> Finding:
    return Finding(check, State.BAD, found, advice)


def size(octets: int) -> str:
    """In MiB or GiB."""
    return f"{octets / 2**30:.1f} GiB" if octets >= 2**30 else f"{octets / 2**20:.1f} MiB"
