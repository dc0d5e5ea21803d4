"""The request schema that adds one subscriber by hand."""

from typing import Any

import marshmallow as ma

from schemas.base import Choice, RequestSchema, nested
from schemas.formats.consent import WORDS_OF_ONE
from schemas.subscribers import SubscriberInput
from schemas.values import STATES, UNCONFIRMED, UNSUBSCRIBED

UNANSWERED = "Choose one of the answers."
CONSENT = {UNSUBSCRIBED: {"command": "unsubscribe"}, UNCONFIRMED: {"unconfirmed": True}}


class AddSubscriber(RequestSchema):
    """A subscriber, and the answer to whether the person may be written to, which becomes part of the
    subscriber. `answer` is the answer in words.
    """

    subscriber = nested(SubscriberInput, required=True)
    consent = Choice(STATES, required=True, error_messages={"required": UNANSWERED})

    @ma.post_load
    def with_answer(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        consent = data["consent"]
        item = data["subscriber"] | CONSENT.get(consent, {})
        return {"subscriber": item, "consent": consent, "answer": WORDS_OF_ONE[consent]}
