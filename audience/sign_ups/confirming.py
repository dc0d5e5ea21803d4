"""Confirming a sign-up by the link in its mail, which is signed for the site, and declining it.

A confirmation is a direct `subscribe`. It has no effect if the address was unsubscribed or erased after the
sign-up.
"""

import json
import struct
import uuid
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple

from audience import addresses, clock
from audience.access import site_keys
from audience.access.sites import Site
from audience.changes.changes import Acceptance, Change, Consent, Outcome
from audience.errors import NotFound
from audience.forms import forms
from audience.forms.forms import SignUpForm
from audience.links import generations, links, tokens, visits
from audience.links.links import Link, Standing
from audience.links.tokens import CONFIRM, SITE_BYTES
from audience.looks import looks
from audience.sign_ups import mailboxes, sign_ups
from audience.sources import Source, SourceKind
from audience.subscribers import subscribers
from audience.subscribers.tags import current_names
from schemas.values import NAMES
from storage import database
from storage.erasures import suppressions
from storage.looks import looks as stored_looks
from storage.sign_ups import alarms, proofs
from storage.sign_ups import sign_ups as stored
from storage.sign_ups.proofs import Proof
from storage.sign_ups.sign_ups import CONFIRMED, DECLINED, ENDED, SignUp
from storage.subscribers import subscribers as stored_subscribers

GONE = "gone"  # the status of a sign-up that has expired
CLICK = "click"
FORM_ID = struct.Struct(">I")


class ConfirmLinks:
    """Makes links that confirm or decline sign-ups. Reads the database once, for any number of links."""

    @database.session()
    def __init__(self, site: Site, base: str) -> None:
        current = generations.read(site.id).current
        self._begin = tokens.begin(current.generation, bytes.fromhex(site.uuid[: 2 * SITE_BYTES]))
        self._signer = tokens.signer(generations.key(site.id, CONFIRM, current))
        self._base = looks.base_url(stored_looks.get(site.id), base)

    def url(self, sign_up: SignUp) -> str:
        packed = self._begin + uuid.UUID(sign_up.nonce).bytes + FORM_ID.pack(sign_up.form_id)
        return f"{self._base}/{CONFIRM}/{tokens.write(packed, self._signer)}"

    def decline_url(self, sign_up: SignUp) -> str:
        return f"{self.url(sign_up)}/decline"


class ConfirmOutcome(StrEnum):
    """What `confirm` did. `ENDED`: nothing, because the sign-up was declined, or its address unsubscribed or
    erased.
    """

    CONFIRMED = "confirmed"
    ALREADY = "already confirmed"
    TOO_OLD = "too old"
    ENDED = "ended"


class Confirmation(NamedTuple):
    """What the page of a confirmation shows; once the sign-up is over, little more than site, form and
    status.

    `form` is None if it was deleted, or if an operator asked. `address` is masked. `fields` are as typed, by
    key. `origin` is that of the page on which the visitor signed up. With `needs_click`, the script must not
    confirm.
    """

    site: Site
    sign_up_id: int
    form: SignUpForm | None
    status: str
    language: str = ""
    address: str = ""
    fields: Mapping[str, str] = {}
    tags: tuple[str, ...] = ()
    wording: str = ""
    confirmed_url: str = ""
    needs_click: bool = False
    origin: str = ""
    is_by_operator: bool = False
    requested_at: int = 0
    expires_at: int = 0

    @property
    def is_open(self) -> bool:
        return bool(self.address)

    @property
    def is_confirmed(self) -> bool:
        return self.status == CONFIRMED


@database.session()
def read(token: str) -> Confirmation | None:
    """The confirmation that a link leads to; None if the link is not valid or was revoked."""
    link = _link(token)
    if link is None:
        return None
    form, sign_up = _form(link), _find(link)
    if sign_up is None or _is_too_old(sign_up):
        return Confirmation(link.site, 0, form, GONE)
    shown = Confirmation(link.site, sign_up.id, form, sign_up.status, sign_up.language)
    shown = shown._replace(confirmed_url=form.confirmed_url if form else "")
    if not sign_up.is_open:
        return shown
    is_held = alarms.get(link.site.id).held_at > 0
    return shown._replace(
        address=visits.mask(sign_up.email),
        fields=json.loads(sign_up.fields),
        tags=tuple(json.loads(sign_up.tags)),
        wording=_wording(link.site, sign_up),
        needs_click=is_held or form is None or form.confirm == CLICK,
        origin=sign_up.origin,
        is_by_operator=sign_up.is_by_operator,
        requested_at=sign_up.requested_at,
        expires_at=sign_up.expires_at,
    )


def confirm(token: str, by: str, seconds: int, network: str, agent: str) -> ConfirmOutcome:
    """Subscribes the address to which a link was sent, and stores the proof. Only ends a test form's sign-up.

    `by` is `script` or `click`, `seconds` the time since the page was shown, `network` the visitor's
    shortened IP address.
    """
    link = _link(token)
    if link is None:
        return ConfirmOutcome.TOO_OLD
    with database.write(link.site.id):
        sign_up = _find(link)
        if sign_up is None:
            return ConfirmOutcome.TOO_OLD
        if sign_up.status == CONFIRMED:
            return ConfirmOutcome.ALREADY
        if not sign_up.is_open:
            return ConfirmOutcome.ENDED
        if _is_too_old(sign_up):
            return ConfirmOutcome.TOO_OLD
        if sign_up.is_test:
            sign_ups.end(link.site.id, sign_up, CONFIRMED)
            return ConfirmOutcome.CONFIRMED
        proof = Proof(
            0, 0, sign_up.form_id, sign_up.version, sign_up.language, sign_up.origin, sign_up.asked_by,
            sign_up.requested_at, sign_up.network, sign_up.country, 0, network, by, seconds, agent,
            sign_up.delivery,
        )  # fmt: skip
        return _confirm(link.site, sign_up, proof)


def _confirm(site: Site, sign_up: SignUp, proof: Proof) -> ConfirmOutcome:
    """Subscribes the address of a sign-up, stores the proof, and ends the sign-up.

    If the address was unsubscribed, erased or suppressed since the sign-up, only ends the sign-up.
    """
    if _was_unsubscribed_since(site.id, sign_up):
        sign_ups.end(site.id, sign_up, ENDED)
        return ConfirmOutcome.ENDED
    accepted = subscribers.accept_now(site.id, Source(SourceKind.SIGN_UP, sign_up.form_id))
    subscriber_id = _subscribe(site.id, sign_up, accepted)
    if not subscriber_id:
        sign_ups.end(site.id, sign_up, ENDED)
        return ConfirmOutcome.ENDED
    proofs.add(proof._replace(subscriber_id=subscriber_id, confirmed_at=accepted.at), site_id=site.id)
    sign_ups.end(site.id, sign_up, CONFIRMED)
    confirmed = {"confirmed_at": clock.now_ms(), "subscriber_id": subscriber_id}
    stored.change(confirmed, site_id=site.id, id=sign_up.id)
    return ConfirmOutcome.CONFIRMED


@database.session()
def preferences_url(token: str, base: str) -> str:
    """The preferences link of the subscriber whom a link has just subscribed; "" after a test."""
    link = _link(token)
    sign_up = _find(link) if link else None
    if link is None or sign_up is None or sign_up.subscriber_id is None:
        return ""
    [subscriber] = stored_subscribers.get_by_ids(link.site.id, [sign_up.subscriber_id]).values()
    return links.Links(link.site, base).urls(subscriber.uuid, subscriber.email_key)[links.PREFERENCES]


def decline(token: str) -> bool:
    """Declines a sign-up and ends all others of its address. The site mails the mailbox nothing for 30 days.

    A test form's sign-up is only ended. Returns whether the sign-up is declined, now or before.
    """
    link = _link(token)
    if link is None:
        return False
    with database.write(link.site.id):
        sign_up = _find(link)
        if sign_up is None or not sign_up.is_open:
            return sign_up is not None and sign_up.status == DECLINED
        sign_ups.end(link.site.id, sign_up, DECLINED)
        if not sign_up.is_test:
            mailboxes.note_declined(link.site, sign_up.email)
            stored.end_open(link.site.id, [sign_up.address_hash])
        return True


def _subscribe(site_id: int, sign_up: SignUp, accepted: Acceptance) -> int:
    """Subscribes the address of a sign-up. Returns the subscriber's id; 0 if the address is suppressed."""
    key = addresses.identity(sign_up.email)
    subscriber = stored_subscribers.get_by_key(site_id, key)
    had = {**subscriber.fields, **{name: getattr(subscriber, name) for name in NAMES}} if subscriber else {}
    new = {name: text for name, text in json.loads(sign_up.fields).items() if had.get(name) in (None, "")}
    names = {name: new.pop(name) for name in NAMES if name in new}
    tags = current_names(site_id, json.loads(sign_up.tags), sign_up.number)
    change = Change(key, sign_up.email, fields=new, tags=tags, consent=Consent.SUBSCRIBE, **names)
    result = subscribers.write(site_id, [change], accepted)
    return 0 if result.outcomes == [Outcome.SUPPRESSED] else result.ids[key]


def _was_unsubscribed_since(site_id: int, sign_up: SignUp) -> bool:
    """Whether the address was unsubscribed or erased after the sign-up."""
    key = addresses.identity(sign_up.email)
    subscriber = stored_subscribers.get_by_key(site_id, key)
    address_hash = site_keys.renew_hashes(site_id, [key])[key]
    suppression = suppressions.find_by_hash(site_id, [address_hash]).get(address_hash)
    numbers = (subscriber and subscriber.unsubscribe_number, suppression and suppression.number)
    return any(number > sign_up.number for number in numbers if number)


def _link(token: str) -> Link | None:
    link = links.read(CONFIRM, token)
    return None if link is None or link.standing is Standing.REVOKED else link


def _find(link: Link) -> SignUp | None:
    return stored.get(site_id=link.site.id, nonce=link.uuid)


def _is_too_old(sign_up: SignUp) -> bool:
    return sign_up.is_open and sign_up.expires_at <= clock.now_ms()


def _wording(site: Site, sign_up: SignUp) -> str:
    with suppress(NotFound):
        return forms.wording(site, sign_up.form_id, sign_up.version, sign_up.language)
    return ""


def _form(link: Link) -> SignUpForm | None:
    with suppress(NotFound):
        return forms.get(link.site, link.topic_id)
    return None
