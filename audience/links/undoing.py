"""What people may do on the page that follows an unsubscribe by link: undo it, and give a reason.

The page has a signed ticket: a text that names the unsubscribe and the consent event before it, which an
undo restores. The ticket is valid only while the unsubscribe is the subscriber's last consent event.
"""

from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple

from itsdangerous import BadSignature, Signer

from audience import clock
from audience.changes.consents import ConsentBefore, ConsentEvent
from audience.clock import HOUR_MS
from audience.links import generations, tokens, unsubscribing
from audience.links.links import Link
from audience.links.unsubscribing import REASONS, SOURCE
from audience.subscribers import subscribers
from storage import database
from storage.changes import consent_changes
from storage.changes.consents import ConsentKind
from storage.subscribers.subscribers import Subscriber
from storage.undo import undos

PURPOSE = "ticket"
MAX_LENGTH = 200


class UndoOutcome(StrEnum):
    UNDONE = "undone"
    ALREADY = "already"  # is subscribed
    TOO_LATE = "too late"


class Ticket(NamedTuple):
    """What a ticket says. `number` is that of the unsubscribe; `before` is the consent event before it.

    The unsubscribe can be undone until the instant `until`, in milliseconds.
    """

    uuid: str
    number: int
    until: int
    before: ConsentEvent


def new_ticket(link: Link, number: int, before: ConsentEvent) -> tuple[str, int]:
    """A new ticket, as (signed text, instant in milliseconds until which it allows an undo)."""
    until = clock.now_ms() + HOUR_MS
    values = (link.uuid, number, until, *map(int, before))
    return _signer(link).sign(" ".join(map(str, values))).decode(), until


def read_ticket(link: Link, text: str) -> Ticket | None:
    """The ticket in a signed text; None if it is not for this link's subscriber."""
    if len(text) <= MAX_LENGTH and text.isascii():
        with suppress(BadSignature):
            uuid, *numbers = _signer(link).unsign(text).decode().split(" ")
            number, until, instant, number_before, kind = map(int, numbers)
            before = ConsentEvent(instant, number_before, ConsentKind(kind))
            return Ticket(uuid, number, until, before) if uuid == link.uuid else None
    return None


def undo(link: Link, text: str) -> UndoOutcome:
    """Undoes an unsubscribe: restores the consent event before it.

    Returns `TOO_LATE` if the ticket is invalid or expired, or that event came from an import undone since.
    """
    ticket, site_id = read_ticket(link, text), link.site.id
    if ticket is None:
        return UndoOutcome.TOO_LATE
    with database.write(site_id):
        subscriber, _ = unsubscribing.find(link)
        if subscriber and subscriber.unsubscribed_at is None:
            return UndoOutcome.ALREADY
        if subscriber is None or not _may_undo(site_id, subscriber, ticket):
            return UndoOutcome.TOO_LATE
        instant, number, kind = ticket.before
        before = ConsentBefore(None, instant or None, number, kind)
        subscribers.restore_consent(site_id, subscriber, before, subscribers.accept_now(site_id, SOURCE))
        return UndoOutcome.UNDONE


def give_reason(link: Link, text: str, reason: str) -> Ticket | None:
    """Stores the reason of an unsubscribe if it is one of `REASONS`. Returns the ticket.

    Returns None, with nothing stored, if the ticket is invalid or the consent has changed since.
    """
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


def _may_undo(site_id: int, subscriber: Subscriber, ticket: Ticket) -> bool:
    """Whether a ticket is in time, the unsubscribe is the last consent event, and the event before is not of
    an undone import.

    A later unsubscribe forbids the undo even if it had no effect, because the undo would restore something
    older.
    """
    is_only = _is_last(subscriber, ticket) and subscriber.unsubscribe_number == ticket.number
    is_in_time = clock.now_ms() <= ticket.until
    return is_only and is_in_time and ticket.before.number not in undos.numbers_of_imports_with_undo(site_id)


def _is_last(subscriber: Subscriber, ticket: Ticket) -> bool:
    event = subscriber.consent_number, subscriber.consent_kind
    return subscriber.unsubscribed_at is not None and event == (ticket.number, ConsentKind.UNSUBSCRIBE)


@database.session()
def _signer(link: Link) -> Signer:
    return tokens.signer(generations.key(link.site.id, PURPOSE, generations.FIRST))
