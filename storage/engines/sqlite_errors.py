"""What SQLite's errors mean, and a pool of connections that does not hide them."""

from playhouse.pool import PooledSqliteDatabase

from storage.errors import DiskFault, StatementError, Unavailable

DISK_ERRORS = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY")


class Pool(PooledSqliteDatabase):  # type: ignore[misc]  # peewee is untyped
    def rollback(self) -> None:
        """Does nothing if SQLite has rolled back by itself, as for a full disk: an error would hide that."""
        if self.connection().in_transaction:
            super().rollback()


def error_type(error: BaseException | None) -> type[Exception]:
    """What the driver's operational error means. SQLITE_ERROR is a wrong statement."""
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_ERROR":
        return StatementError
    is_disk_fault = name.startswith(DISK_ERRORS) or "disk" in str(error)  # those of a copy have no name
    return DiskFault if is_disk_fault else Unavailable
