"""What PostgreSQL's errors mean, by SQLSTATE."""

import logging

import psycopg
from playhouse.pool import MaxConnectionsExceeded

from storage.errors import (
    Conflict,
    DiskFault,
    ReadOnly,
    StatementError,
    Unavailable,
    Unfinished,
    Unreachable,
    Unusable,
)

log = logging.getLogger(__name__)
Error = psycopg.Error  # the driver's base class, for errors that peewee does not translate
DAMAGED = ("XX001", "XX002")
FAULTS = {"53100": DiskFault, "58030": DiskFault, "25006": ReadOnly}  # full, failed, taking no writes
PASSING = ("08", "57P", "53", "40", "55P03", "57014", "25P03", "XX000")
NO_RIGHT = (
    "the role of the database URL lacks a right ({}): make it the owner of the database, of the schema "
    "public and of the tables in it (REASSIGN OWNED)"
)
TAKEN = "another program uses the database ({}): give Audience one of its own"
NO_SCHEMA = (
    "the role finds no schema ({}): ALTER ROLE … RESET search_path, and no search_path in the database URL"
)
UNUSABLE = {"42P07": TAKEN, "42501": NO_RIGHT, "3F000": NO_SCHEMA}


def meaning(error: BaseException) -> Exception:
    """The exception of storage for one of peewee or the driver."""
    if isinstance(error, MaxConnectionsExceeded):
        return Unavailable(str(error))
    if unfinished := _unfinished(error):
        return unfinished
    cause = _first(error)
    state = getattr(cause, "sqlstate", None) or ""
    text = str(cause).strip().partition("\n")[0]
    if state.startswith("23") or is_duplicate(cause):
        return Conflict(type(cause).__name__)
    if state == "XX000":
        log.error("PostgreSQL has an internal error: %s", text)
    if state.startswith(DAMAGED):
        return Unusable(f"the database is damaged ({text}): stop the service and restore a backup")
    if state in FAULTS:
        return FAULTS[state](text)
    if state in UNUSABLE:
        return Unusable(UNUSABLE[state].format(text))
    if not state and isinstance(cause, psycopg.OperationalError):
        return Unreachable(f"PostgreSQL: {text}")
    if state.startswith(PASSING):
        return Unavailable("others are writing" if state == "55P03" else f"PostgreSQL: {text}")
    return StatementError(text)


def is_duplicate(error: BaseException) -> bool:
    """Whether a row violates a unique index. For rows from COPY, Citus reports that as an internal error."""
    is_of_node = getattr(error, "sqlstate", None) == "XX000" and "duplicate key" in str(error)
    return is_of_node or isinstance(error, psycopg.errors.UniqueViolation)


def _first(error: BaseException) -> BaseException:
    """The driver's first error. peewee's rollback after it may have raised another."""
    first = error
    while (earlier := error.__cause__ or error.__context__) is not None:
        error = earlier
        if isinstance(error, psycopg.Error):
            first = error
    return first


def _unfinished(error: BaseException | None) -> Unfinished | None:
    """The `Unfinished` in an error's chain of causes; None without one.

    peewee's rollback after a lost commit may raise another error on top of it.
    """
    while error is not None and not isinstance(error, Unfinished):
        error = error.__cause__ or error.__context__
    return error
