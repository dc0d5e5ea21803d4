"""What changes say of consent. The word accepted last counts."""

from typing import Any

from audience.changes import Acceptance, AcceptedConsent, Change, Consent
from storage.subscriber_batches import CONSENT_AT, CONSENT_NUMBER, UNSUBSCRIBED_AT

DATE, WORD, UNCONFIRMED, LEFT_BEFORE = "date", "word", "unconfirmed", "left before"  # reasons
Person = list[Any]  # the columns of a subscriber, in the order of `storage.subscriber_batches.KNOWN`
Said = tuple[Person, int, bool, str]  # who, when, whether they subscribed, and the reason


def said_at(change: Change, accepted: Acceptance) -> int:
    return accepted.at if change.at is None else change.at


class Words:
    """What a batch of changes says: `said` is each change of consent; `overtaken` had left, and say so by an
    older word than the one that counts.
    """

    def __init__(self) -> None:
        self.said: list[Said] = []
        self.overtaken: list[Person] = []


def say(person: Person, change: Change, accepted: Acceptance, words: Words) -> bool:
    """Applies what a change says, and adds it to `words`; whether there was a change of consent in all."""
    before, number = person[UNSUBSCRIBED_AT], accepted.number
    if "unsubscribed_at" in change.dates:
        left_at = min(change.dates["unsubscribed_at"], accepted.at)
        _say(person, Consent.UNSUBSCRIBE, AcceptedConsent(left_at, number, dated=True), DATE, words)
    if change.consent:
        word = AcceptedConsent(said_at(change, accepted), number, change.dated)
        _say(person, change.consent, word, WORD, words)
    return bool(person[UNSUBSCRIBED_AT] != before)


def _say(person: Person, consent: str, word: AcceptedConsent, reason: str, words: Words) -> None:
    """Repeating the last word keeps the first date, and still counts as the last.

    The date of the last consent never goes back, though the clock may.
    """
    last, subscribed = person[CONSENT_AT], person[UNSUBSCRIBED_AT] is None
    if not word.counts_after(last, person[CONSENT_NUMBER]):
        if consent == Consent.UNSUBSCRIBE and not subscribed:
            words.overtaken.append(person)
        return
    person[CONSENT_AT] = word.at if last is None else max(word.at, last)
    person[CONSENT_NUMBER] = word.number
    if subscribed == (consent == Consent.SUBSCRIBE):
        return
    person[UNSUBSCRIBED_AT] = word.at if subscribed else None
    words.said.append((person, word.at, not subscribed, reason))
