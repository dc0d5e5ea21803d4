"""What a page may show of the subscriber of a link. Only `choose_language` writes."""

from enum import StrEnum
from typing import NamedTuple

from audience.changes.changes import Change
from audience.links import unsubscribing
from audience.links.links import PREFERENCES, Link, Standing
from audience.links.unsubscribing import SOURCE
from audience.subscribers import subscribers
from storage import database
from storage.changes.consents import ConsentKind
from storage.subscribers.subscribers import Subscriber

LANGUAGE = "language"  # the custom field


class VisitStatus(StrEnum):
    """`OPEN`: the subscriber can unsubscribe. `UNKNOWN`: the site does not know the link's subscriber."""

    OPEN = "open"
    UNSUBSCRIBED = "unsubscribed"
    UNKNOWN = "unknown"


class Visit(NamedTuple):
    """What a page shows of a link's subscriber. `address` is masked, or empty if it may not be shown.

    `since` is when the subscriber unsubscribed, in milliseconds, or 0. With `may_choose`, the link can change
    preferences.
    """

    status: VisitStatus
    address: str = ""
    language: str = ""
    since: int = 0
    may_choose: bool = False


@database.session()
def read(link: Link) -> Visit:
    """What a page may show of a link's subscriber. Writes nothing."""
    subscriber, former = unsubscribing.find(link)
    if subscriber is None:
        return Visit(VisitStatus.OPEN if former else VisitStatus.UNKNOWN)
    is_unsubscribed = (
        subscriber.unsubscribed_at is not None and subscriber.consent_kind != ConsentKind.UNCONFIRMED
    )
    return Visit(
        VisitStatus.UNSUBSCRIBED if is_unsubscribed else VisitStatus.OPEN,
        mask(subscriber.email) if shows_address(link, subscriber) else "",
        str(subscriber.fields.get(LANGUAGE, "")),
        subscriber.unsubscribed_at or 0,
        may_choose(link, subscriber) and subscriber.unsubscribed_at is None,
    )


def choose_language(link: Link, language: str) -> bool:
    """Stores the language that a subscriber chose. Returns whether it was stored.

    Nothing is stored, and False returned, if there is no subscriber, they are unsubscribed, or `may_choose`
    is false.
    """
    with database.write(link.site.id):
        subscriber, _ = unsubscribing.find(link)
        if subscriber is None or subscriber.unsubscribed_at is not None or not may_choose(link, subscriber):
            return False
        change = Change(subscriber.email_key, subscriber.email, fields={LANGUAGE: language}, creates=False)
        subscribers.write(link.site.id, [change], subscribers.accept_now(link.site.id, SOURCE))
        return True


def may_choose(link: Link, subscriber: Subscriber) -> bool:
    """Whether a link can change preferences: it is a current preferences link for the current address."""
    is_current = link.purpose == PREFERENCES and link.standing is Standing.CURRENT
    return is_current and link.uuid == subscriber.uuid and link.is_for(subscriber.email_key)


def shows_address(link: Link, subscriber: Subscriber) -> bool:
    """Whether a page may show the subscriber's address. A preferences link that was made for a former address
    does not show the present one.
    """
    return link.purpose != PREFERENCES or link.is_for(subscriber.email_key)


def mask(email: str) -> str:
    """The address with `…` for all but the first character before the `@`."""
    local, at, domain = email.rpartition("@")
    return f"{local[:1]}…{at}{domain}"
