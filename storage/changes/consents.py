"""The kinds of consent events. A row of a subscriber has the kind of the event that counts."""

from enum import IntEnum


class ConsentKind(IntEnum):
    """The kinds of consent events. `NONE`: the subscriber was created subscribed, without an event."""

    NONE = 0
    UNCONFIRMED = 1
    SUBSCRIBE = 2
    UNSUBSCRIBE = 3
    DATED_SUBSCRIBE = 4
    DATED_UNSUBSCRIBE = 5
