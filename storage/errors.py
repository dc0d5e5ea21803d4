"""What storage raises in place of peewee's and the driver's exceptions."""


class Unavailable(Exception):
    """The database cannot be used now: locked for too long, away, or out of connections."""


class Conflict(Exception):
    """A unique or foreign key stands against the write."""


class Mistaken(Exception):
    """A statement that the database can never run: a fault of ours, which trying again does not mend."""


class Unusable(Exception):
    """The database or its library must not be used as it is; the message says what to do."""
