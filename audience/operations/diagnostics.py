"""The instance under examination, and the findings of a probe."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from audience.config import Settings
from audience.protocols import Processes
from storage import database

if TYPE_CHECKING:
    from audience.answers.service import Answers


class State(StrEnum):
    OK = "ok"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True)
class Finding:
    """A finding of the doctor. `found` is a clause without a full stop; `advice` is a sentence, or ""."""

    check: str
    state: State
    found: str
    advice: str = ""

    @property
    def sentence(self) -> str:
        """The finding as a sentence, without its advice, which may name files."""
        return f"{self.found[:1].upper()}{self.found[1:]}."


@dataclass(frozen=True)
class Context:
    """An instance to examine, and how: `offline`, without network; `recount`, with counts of the subscribers;
    `fix`, with repairs; `in_service`, by the instance's own web process.
    """

    settings: Settings
    processes: Processes
    offline: bool = False
    recount: bool = False
    fix: bool = False
    in_service: bool = False
    only_site: int | None = None  # whose tables are examined; None for those of all sites
    answers: "Answers | None" = None  # the service that answers in the web process

    @cached_property
    def database_files(self) -> list[Path]:
        """The files of the database, the main one first; empty for a server's."""
        return database.files(self.settings.database)

    @cached_property
    def serving(self) -> bool:
        return self.in_service or self.processes.serving()


Check = Callable[[Context], Iterable[Finding]]


def ok(check: str, found: str) -> Finding:
    return Finding(check, State.OK, found)


def warn(check: str, found: str, advice: str = "") -> Finding:
    return Finding(check, State.WARN, found, advice)


def bad(check: str, found: str, advice: str = "") -> Finding:
    return Finding(check, State.BAD, found, advice)


def size(number_of_bytes: int) -> str:
    """A number of bytes in MiB or GiB."""
    gib = number_of_bytes / 2**30
    return f"{gib:.1f} GiB" if gib >= 1 else f"{gib * 1024:.1f} MiB"
