"""Stats on the wire (spec section 2.3)."""

from typing import Any


def counts(counts: Any) -> dict[str, int]:
    return {
        "user_count": counts.users,
        "subscriber_count": counts.subscribers,
        "unsubscriber_count": counts.unsubscribers,
    }
