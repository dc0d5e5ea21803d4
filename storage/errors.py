"""The exceptions of storage, in place of those of peewee and the driver."""


class Unavailable(Exception):
    """The database cannot be used now: it was locked for too long, is unreachable, or is out of connections.

    On the command line, the message says what is wrong and what to do.
    """

    said = "the database is unavailable or busy"
    remedy = "try again in a moment"


class Unreachable(Unavailable):
    """The server is down, or refuses this role."""

    said = "the database cannot be reached"
    remedy = "start it, or correct its URL or its password"


class Unfinished(Unavailable):
    """The connection was lost during a commit: the transaction may be written, or not."""

    said = "the connection to the database was lost during the commit: this may have been done"
    remedy = "check before you try again"


class ReadOnly(Unavailable):
    """The server is a standby, or this role may not write."""

    said = "the database takes no writes"
    remedy = (
        "connect to the server that does, or set default_transaction_read_only off for the database and role"
    )


class DiskFault(Unavailable):
    """The disk is full, or cannot be written or read."""

    said = "the disk is full or faulty"
    remedy = "make room, or repair it, then try again"


class Conflict(Exception):
    """The write violates a unique or foreign key."""


class StatementError(Exception):
    """The statement is wrong: a bug, which no retry repairs."""


class Unusable(Exception):
    """The database or its library must not be used; the message says what to do."""
