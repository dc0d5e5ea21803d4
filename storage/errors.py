"""The exceptions of storage, in place of those of peewee and the driver."""


class Unavailable(Exception):
    """The database cannot be used now: locked for too long, unreachable, or out of connections."""


class DiskFault(Unavailable):
    """The disk is full, or cannot be written or read."""


class Conflict(Exception):
    """The write violates a unique or foreign key."""


class StatementError(Exception):
    """A wrong statement: a bug, which no retry repairs."""


class Unusable(Exception):
    """The database or its library must not be used; the message gives a remedy."""
