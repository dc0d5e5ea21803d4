"""Unsubscribing by a link. It also works after the subscriber was deleted, for the address."""

from enum import StrEnum
from typing import NamedTuple

from audience import clock
from audience.access import site_keys
from audience.changes import consents
from audience.changes import log as change_log
from audience.changes.changes import Change, Consent
from audience.changes.consents import ConsentEvent
from audience.links.links import Link, Standing
from audience.sources import Source, SourceKind
from audience.subscribers import subscribers
from storage import database
from storage.changes.consents import ConsentKind
from storage.erasures import suppressions
from storage.erasures.suppressions import Suppression
from storage.links import former_links
from storage.links.former_links import FormerLink
from storage.sign_ups import sign_ups
from storage.subscribers import subscribers as stored
from storage.subscribers.subscribers import Subscriber

SOURCE = Source(SourceKind.LINK)
REASONS = ("not_interested", "too_many", "not_expected", "never_signed_up", "elsewhere", "other")


class LinkOutcome(StrEnum):
    """What an unsubscribe by a link did.

    `SUPPRESSED`: no subscriber has the address; it is suppressed, so that an import adds it unsubscribed.
    `UNKNOWN`: nothing was done, because the link is revoked or its subscriber unknown.
    """

    UNSUBSCRIBED = "unsubscribed"
    ALREADY = "already unsubscribed"
    SUPPRESSED = "suppressed"
    UNKNOWN = "unknown"


class UnsubscribeResult(NamedTuple):
    """The result of an unsubscribe. `number` is its number in the site's sequence, 0 if nothing was done.

    `before` is the consent event that it replaced; None unless the outcome is `UNSUBSCRIBED`.
    """

    outcome: LinkOutcome
    number: int = 0
    before: ConsentEvent | None = None


def unsubscribe(link: Link, reason: str = "") -> UnsubscribeResult:
    """Unsubscribes a link's subscriber or, if that one was deleted, the one who has the address now.

    A `reason` that is none of `REASONS` is dropped.
    """
    site_id = link.site.id
    if link.standing is Standing.REVOKED:
        return UnsubscribeResult(LinkOutcome.UNKNOWN)
    with database.write(site_id):
        subscriber, former = find(link)
        if subscriber:
            return _unsubscribe(site_id, subscriber, reason if reason in REASONS else "")
        return _keep(site_id, former.address_hash) if former else UnsubscribeResult(LinkOutcome.UNKNOWN)


def find(link: Link) -> tuple[Subscriber | None, FormerLink | None]:
    """The (subscriber, former link) of a link, in the caller's session; each may be None.

    A former link is the row kept for a deleted subscriber, with the hash of the address. The subscriber is
    then whoever has that address now.
    """
    site_id = link.site.id
    former = former_links.get(site_id=site_id, uuid_hash=site_keys.address_hash(site_id, link.uuid))
    return stored.get_by_uuid(site_id, link.uuid) or (former and _holder(site_id, former)), former


def _holder(site_id: int, former: FormerLink) -> Subscriber | None:
    """The subscriber who got the address after a deletion and still has it, or None."""
    ids = [former.subscriber_id] if former.subscriber_id else []
    for subscriber in stored.get_by_ids(site_id, ids).values():
        if site_keys.address_hash(site_id, subscriber.email_key) == former.address_hash:
            return subscriber
    return None


def _unsubscribe(site_id: int, subscriber: Subscriber, reason: str) -> UnsubscribeResult:
    accepted = subscribers.accept_now(site_id, SOURCE)
    key, email = subscriber.email_key, subscriber.email
    change = Change(key, email, consent=Consent.UNSUBSCRIBE, creates=False, reason=reason)
    subscribers.write(site_id, [change], accepted)
    if subscriber.unsubscribed_at is not None:
        return UnsubscribeResult(LinkOutcome.ALREADY, accepted.number)
    return UnsubscribeResult(LinkOutcome.UNSUBSCRIBED, accepted.number, consents.current_event(subscriber))


def _keep(site_id: int, address_hash: str) -> UnsubscribeResult:
    """Suppresses an address without a subscriber. An erased address stays erased, with the later
    number.
    """
    sign_ups.end_open(site_id, [address_hash])
    accepted = subscribers.accept_now(site_id, SOURCE)
    event = ConsentEvent(accepted.at, accepted.number, ConsentKind.UNSUBSCRIBE)
    before = suppressions.find_by_hash(site_id, [address_hash]).get(address_hash)
    if before is None or event.counts_over(_event(before), clock.now_ms()):
        why = before.reason if before else suppressions.UNSUBSCRIBED
        change_log.suppress(site_id, {address_hash: Suppression(why, *event)}, accepted.number)
    return UnsubscribeResult(LinkOutcome.SUPPRESSED, accepted.number)


def _event(suppression: Suppression) -> ConsentEvent:
    return ConsentEvent(suppression.since, suppression.number, ConsentKind(suppression.kind))
