"""The counts of a site or segment (docs/contract.md, Stats)."""

from typing import Any

from schemas.responses import ResponseSchema, integer


class CountsSchema(ResponseSchema):
    """The counts of a site. The first is always the sum of the others."""

    user_count = integer("All subscribers.")
    subscriber_count = integer("Subscribers who have not unsubscribed.")
    unsubscriber_count = integer("Subscribers who have unsubscribed.")


def counts(counts: Any) -> dict[str, int]:
    return {
        "user_count": counts.users,
        "subscriber_count": counts.subscribers,
        "unsubscriber_count": counts.unsubscribers,
    }
