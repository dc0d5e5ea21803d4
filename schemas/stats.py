"""Stats on the wire (spec section 2.3)."""

from typing import Any

import marshmallow as ma

from schemas.shapes import Answer


class Counts(Answer):
    """The first is the sum of the others, at every instant."""

    user_count = ma.fields.Integer(strict=True, metadata={"description": "Everyone."})
    subscriber_count = ma.fields.Integer(strict=True, metadata={"description": "Not unsubscribed."})
    unsubscriber_count = ma.fields.Integer(strict=True, metadata={"description": "Unsubscribed."})


def counts(counts: Any) -> dict[str, int]:
    return {
        "user_count": counts.users,
        "subscriber_count": counts.subscribers,
        "unsubscriber_count": counts.unsubscribers,
    }
