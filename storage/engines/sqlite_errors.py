"""What SQLite's errors mean."""

import apsw
import peewee
from playhouse.pool import MaxConnectionsExceeded

from storage.errors import Conflict, DiskFault, StatementError, Unavailable, Unusable

Error = apsw.Error  # the driver's base class, for errors that peewee does not translate
NO_WORDS = "not an error"
DISK_ERRORS = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY")


def meaning(error: BaseException) -> Exception:
    """The exception of storage for one of peewee or the driver."""
    if isinstance(error, peewee.IntegrityError):
        return Conflict(type(error).__name__)
    if isinstance(error, peewee.OperationalError | peewee.InterfaceError | MaxConnectionsExceeded | Error):
        return _operational(error)(_message(error))
    if isinstance(error, peewee.DataError | peewee.ProgrammingError | peewee.NotSupportedError):
        return StatementError(str(error))
    return Unusable(f"the database is damaged ({error}): stop the service and restore a backup")


def _message(error: BaseException) -> str:
    """SQLite's message for an error.

    If the message is "not an error", it is of another connection: then the error's name.
    """
    return _name(_cause(error)) if NO_WORDS in str(error) else str(error)


def _cause(error: BaseException | None) -> BaseException | None:
    """The driver's error under those of peewee; None without one."""
    while isinstance(error, peewee.PeeweeException):
        error = error.__cause__ or error.__context__
    return error


def _operational(error: BaseException) -> type[Exception]:
    """The class of storage's exception for an operational error. SQLITE_ERROR is a wrong statement."""
    name = _name(_cause(error))
    if name == "SQLITE_ERROR":
        return StatementError
    return DiskFault if name.startswith(DISK_ERRORS) else Unavailable


def _name(error: BaseException | None) -> str:
    """SQLite's name of an error, such as SQLITE_IOERR_WRITE; "" for other errors."""
    code = getattr(error, "extendedresult", None)
    if code is None:
        return ""
    return str(apsw.mapping_extended_result_codes.get(code) or apsw.mapping_result_codes.get(code & 0xFF, ""))
