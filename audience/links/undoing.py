"""What the page may do that an unsubscribe by a link was answered with: undo it, and say why.

The page has a ticket, which names the consent event. It is good only while that event is the last one.
"""

from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple

from itsdangerous import BadSignature, Signer

from audience import clock
from audience.changes.changes import Change, Consent
from audience.clock import HOUR_MS
from audience.links import generations, tokens, unsubscribing
from audience.links.links import Link
from audience.links.unsubscribing import REASONS, SOURCE
from audience.subscribers import subscribers
from storage import database
from storage.changes import consent_changes
from storage.changes.consents import ConsentKind
from storage.subscribers.subscribers import Subscriber

PURPOSE = "ticket"
MAX_LENGTH = 200


class UndoOutcome(StrEnum):
    UNDONE = "undone"
    ALREADY = "already"  # is subscribed
    TOO_LATE = "too late"


class Ticket(NamedTuple):
    """`number` is that of the consent event, `until` in milliseconds the end of the hour."""

    uuid: str
    number: int
    until: int


def new_ticket(link: Link, number: int) -> tuple[str, int]:
    """The text of a ticket, and until when it undoes, in milliseconds."""
    until = clock.now_ms() + HOUR_MS
    return _signer(link).sign(f"{link.uuid} {number} {until}").decode(), until


def read_ticket(link: Link, text: str) -> Ticket | None:
    """The ticket of a link; None if the link's page had no such one."""
    if len(text) <= MAX_LENGTH and text.isascii():
        with suppress(BadSignature):
            uuid, number, until = _signer(link).unsign(text).decode().split(" ")
            return Ticket(uuid, int(number), int(until)) if uuid == link.uuid else None
    return None


def undo(link: Link, text: str) -> UndoOutcome:
    ticket = read_ticket(link, text)
    if ticket is None:
        return UndoOutcome.TOO_LATE
    with database.write(link.site.id):
        subscriber, _ = unsubscribing.find(link)
        if subscriber and subscriber.unsubscribed_at is None:
            return UndoOutcome.ALREADY
        if subscriber is None or clock.now_ms() > ticket.until or not _is_last(subscriber, ticket):
            return UndoOutcome.TOO_LATE
        change = Change(subscriber.email_key, subscriber.email, consent=Consent.SUBSCRIBE, creates=False)
        subscribers.write(link.site.id, [change], subscribers.accept_now(link.site.id, SOURCE))
        return UndoOutcome.UNDONE


def give_reason(link: Link, text: str, reason: str) -> Ticket | None:
    """Keeps one of `REASONS` with the consent event; the ticket, if the event is still the last one."""
    ticket = read_ticket(link, text)
    if ticket is None:
        return None
    with database.write(link.site.id):
        subscriber, _ = unsubscribing.find(link)
        if subscriber is None or not _is_last(subscriber, ticket):
            return None
        if reason in REASONS:
            consent_changes.put_reason(link.site.id, subscriber.id, SOURCE.kind, reason)
        return ticket


def _is_last(subscriber: Subscriber, ticket: Ticket) -> bool:
    event = subscriber.consent_number, subscriber.consent_kind
    return subscriber.unsubscribed_at is not None and event == (ticket.number, ConsentKind.UNSUBSCRIBE)


@database.session()
def _signer(link: Link) -> Signer:
    return tokens.signer(generations.key(link.site.id, PURPOSE, generations.FIRST))
