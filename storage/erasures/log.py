"""The log of erasures, where several hosts share the database."""

from collections.abc import Iterable
from typing import NamedTuple

from storage.database import execute_many, rows
from storage.engines.chosen import engine

COLUMNS = "site_uuid, address_hash, at, number, pepper_check"
ALL = f"SELECT {COLUMNS} FROM logged_erasures ORDER BY id"
ADD = f"INSERT INTO logged_erasures ({COLUMNS}) VALUES (?, ?, ?, ?, ?)"


class LoggedErasure(NamedTuple):
    """`address_hash` is of the address or, in a second line, of the person's uuid.

    `at` in milliseconds, `number` in the order of acceptance, `pepper_check` of the pepper of the hash.
    The last two are None in lines of an older Audience.
    """

    site_uuid: str
    address_hash: str
    at: int
    number: int | None
    pepper_check: str | None


def is_kept() -> bool:
    """Whether the log is kept in the database: several hosts may have it open."""
    return engine.HAS_HOSTS


def add(erasures: Iterable[LoggedErasure]) -> None:
    execute_many(ADD, erasures)


def list_all() -> list[LoggedErasure]:
    """Oldest first."""
    return [LoggedErasure(*record) for record in rows(ALL)]
