"""The kinds of consent events, as rows keep that of the event which counts."""

from enum import IntEnum


class ConsentKind(IntEnum):
    """The kinds of consent events. `NONE`: the subscriber was created subscribed, without an event."""

    NONE = 0
    UNCONFIRMED = 1
    SUBSCRIBE = 2
    UNSUBSCRIBE = 3
    DATED_SUBSCRIBE = 4
    DATED_UNSUBSCRIBE = 5
