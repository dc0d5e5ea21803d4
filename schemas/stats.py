"""The counts of a site or segment (docs/contract.md, Stats)."""

from typing import Any

import marshmallow as ma

from schemas.responses import ResponseSchema


class CountsSchema(ResponseSchema):
    """The first is always the sum of the others."""

    user_count = ma.fields.Integer(strict=True, metadata={"description": "All subscribers."})
    subscriber_count = ma.fields.Integer(
        strict=True, metadata={"description": "Subscribers who have not unsubscribed."}
    )
    unsubscriber_count = ma.fields.Integer(
        strict=True, metadata={"description": "Subscribers who have unsubscribed."}
    )


def counts(counts: Any) -> dict[str, int]:
    return {
        "user_count": counts.users,
        "subscriber_count": counts.subscribers,
        "unsubscriber_count": counts.unsubscribers,
    }
