"""What changes subscribers: the sources of consent events, and of all in the record of changes."""

from enum import StrEnum
from typing import NamedTuple


class SourceKind(StrEnum):
    """What made a change.

    `LEFT` is not the source of a change. An undo records it when it removes a subscriber whom the import had
    created as unsubscribed: the address stays suppressed.
    """

    API = "api"
    COMMAND = "command"
    EVENT = "event"
    IMPORT = "import"
    BULK_ACTION = "bulk_act"
    UNDO = "undo"
    OPERATOR = "operator"
    COMMAND_LINE = "cli"
    LINK = "link"
    SIGN_UP = "sign_up"
    RESTORE = "restore"
    MIGRATION = "migration"
    LEFT = "left"


class Source(NamedTuple):
    """The source of a change: a `SourceKind`, and the id of the key, import, bulk action, undo, operator or
    form.

    The id is 0 for kinds without one. A kind from the database is plain text.
    """

    kind: str = SourceKind.OPERATOR
    id: int = 0


BY_KEY = (SourceKind.API, SourceKind.COMMAND, SourceKind.EVENT)
OPERATOR = Source()
COMMAND_LINE = Source(SourceKind.COMMAND_LINE)
RESTORE = Source(SourceKind.RESTORE)
