"""Writing subscribers, always in batches, and finding one."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from audience import addresses, clock
from audience.access import audit_log, site_keys
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.changes import log as change_log
from audience.changes import targets
from audience.changes.batches import SubscriberBatch
from audience.changes.changes import Acceptance, Change, Consent, Item, Outcome, change_from_item
from audience.changes.consents import ConsentBefore
from audience.errors import NotFound, Refused
from audience.sources import OPERATOR, Source
from audience.subscribers import custom_fields, field_values, tags
from audience.subscribers import writes as subscriber_writes
from schemas.codes import Code, Sentence
from schemas.values import SUBSCRIBED, UNCONFIRMED, UNSUBSCRIBED, FieldError, trim
from storage import database
from storage.access import site_counters
from storage.changes.consents import ConsentKind
from storage.erasures import suppressions
from storage.erasures.suppressions import Suppression
from storage.imports import moved_addresses
from storage.links import former_links
from storage.subscribers import subscribers as stored
from storage.subscribers import texts as subscriber_texts
from storage.subscribers.field_values import domain
from storage.subscribers.subscribers import Subscriber

__all__ = ["Acceptance", "Change", "Consent", "Outcome", "Subscriber"]

NAMED = tuple(map(attrgetter, ("tags", "remove_tags", "fields", "remove_fields")))
MISSING = Sentence(
    Code.UNKNOWN_SUBSCRIBER,
    "No subscriber of the site has this address: create one first, or correct the address.",
)
MISSING_UUID = Sentence(
    Code.UNKNOWN_SUBSCRIBER, "No subscriber of the site has this uuid: correct it, or send the email."
)
TAKEN = Sentence(
    Code.ADDRESS_TAKEN,
    "Another subscriber has the new address: choose another address, or change that subscriber first.",
)
SUPPRESSED = Sentence(
    Code.ERASED_ADDRESS, "This address was erased from the site: only the command `subscribe` adds it again."
)
ADDED = "added"  # in the audit log
EXISTING = {
    SUBSCRIBED: "This person is a subscriber already: nothing was changed.",
    UNSUBSCRIBED: "This person has unsubscribed: nothing was changed.",
    UNCONFIRMED: "This person has not confirmed yet: nothing was changed.",
}
ERASED = "This address was erased from the site: nothing was saved. The person can sign up again by a form."


def admission_check(
    site_id: int, changes: Sequence[Change], accepted: Acceptance
) -> Callable[[Change], bool]:
    """A function that tells whether `write` would apply a change. Call it once for each change, in order."""
    return SubscriberBatch(site_id, changes, accepted, accepted.at).admit


class WriteResult(NamedTuple):
    """The result of writing changes: the outcome of each change, and the subscribers' ids by address key.

    `unsubscribed` is how many changes unsubscribed a subscriber, `stayed_unsubscribed` how many were of one
    who stayed so.
    `unsubscribes_ignored` and `subscribes_ignored` count the consent events that a later one outweighed.
    """

    outcomes: list[Outcome]
    ids: Mapping[str, int]
    unsubscribed: int
    stayed_unsubscribed: int
    unsubscribes_ignored: int
    subscribes_ignored: int


def write(site_id: int, changes: Sequence[Change], accepted: Acceptance) -> WriteResult:
    """Applies changes in order, in the caller's transaction, which has taken a number of the site.

    `accepted` is what `accept_now` returned or, for changes of an import, the acceptance of the import.

    Subscribers, tags, fields and counters are read once and written once, however many changes there are.
    """
    at = clock.now_ms()
    batch = SubscriberBatch(site_id, changes, accepted, at)
    changes = batch.limited(changes)
    admitted = batch.those_admitted(changes)
    added, removed, fields, removed_fields = (
        dict.fromkeys(chain.from_iterable(map(names, admitted))) for names in NAMED
    )
    batch.tag_ids, batch.made_tags = tags.ids_by_name(site_id, added, removed, at, accepted.number)
    batch.twins = tags.twins(site_id) if removed else {}
    batch.field_ids, batch.made_fields = custom_fields.ensure_ids(site_id, fields, removed_fields, at)
    outcomes = [batch.apply(change) for change in changes]
    subscriber_writes.save(batch)
    unsubscribed, stayed_unsubscribed = batch.unsubscribed
    ignored = len(batch.consents.ignored), batch.consents.subscribes_ignored
    return WriteResult(outcomes, batch.ids(), unsubscribed, stayed_unsubscribed, *ignored)


def restore_consent(
    site_id: int, subscriber: Subscriber, before: ConsentBefore, accepted: Acceptance
) -> None:
    """Restores the consent event `before` of a subscriber, in the caller's transaction, which has the
    acceptance number of `accepted`.
    """
    key, at = subscriber.email_key, clock.now_ms()
    batch = SubscriberBatch(site_id, [Change(key, subscriber.email)], accepted, at)
    batch.consents.put_back(batch.subscribers[key], before)
    subscriber_writes.save(batch)


def accept_now(site_id: int, source: Source = OPERATOR) -> Acceptance:
    """Takes the site's next number, by which later changes outweigh earlier ones.

    Returns the number with the instant and the source. The caller's transaction then holds the site's lock.
    """
    return Acceptance(*site_counters.take_acceptance_number(site_id, clock.now_ms()), source)


def create(site: Site, item: Item, source: Source = OPERATOR) -> Subscriber:
    """Creates the subscriber with an item's address, or updates it. Returns it.

    Raises `Refused`, such as for a malformed or suppressed address.
    """
    try:
        change = change_from_item(item, time_zone=site.time_zone)._replace(rewrites_email=True)
    except addresses.MalformedAddress as error:
        raise Refused(str(error), [FieldError("subscriber.email", str(error))]) from error
    with database.write(site.id):
        if targets.conflicting_indexes(site.id, [(0, item.get("uuid", ""), change.key)]):
            raise Refused(targets.TWO, [FieldError("subscriber.uuid", targets.TWO)])
        [outcome] = write(site.id, [change], accept_now(site.id, source)).outcomes
        if outcome is Outcome.SUPPRESSED:
            raise Refused(SUPPRESSED, [FieldError("subscriber.email", SUPPRESSED)])
        return stored.get_by_keys(site.id, [change.key])[change.key]


@database.writes_site
def add(site: Site, item: Item, answer: str, actor: Actor, source: Source) -> Subscriber:
    """Creates the subscriber with an item's address, by hand. Returns it.

    The audit log keeps the `answer`, in words, to whether the person may be written to. Raises `Refused` as
    `create` does, and for the address of a subscriber.
    """
    existing = find(site, item["email"])
    problem = EXISTING[status(existing)] if existing else ERASED if is_erased(site, item["email"]) else ""
    if problem:
        raise Refused(problem, [FieldError("subscriber.email", problem)])
    subscriber = create(site, item, source)
    audit_log.record(actor, f"{ADDED}{audit_log.NAMED}{answer}", site, subscriber.uuid)
    return subscriber


def status(subscriber: Subscriber) -> str:
    """Whether a subscriber is `SUBSCRIBED`, `UNSUBSCRIBED`, or `UNCONFIRMED`: was added so, and has neither
    confirmed nor unsubscribed since.
    """
    if subscriber.unsubscribed_at is None:
        return SUBSCRIBED
    unconfirmed = subscriber.consent_kind == ConsentKind.UNCONFIRMED and subscriber.unsubscribe_number is None
    return UNCONFIRMED if unconfirmed else UNSUBSCRIBED


def change_email(site_id: int, key: str, address: str, accepted: Acceptance) -> str | None:
    """Changes a subscriber's address, in the caller's transaction. Returns an error message, or None.

    The old address of an unsubscribed subscriber is suppressed, so that no import subscribes it again. The
    new address is no longer suppressed, because the subscriber's own consent counts. An unsubscribe
    counts from now on: a waiting `subscribe` of the new address is somebody else's.
    """
    try:
        new_key = addresses.identity_of_new(address)
    except addresses.MalformedAddress as error:
        return str(error)
    subscriber = stored.get_by_key(site_id, key)
    if subscriber is None:
        return MISSING
    old_hash, new_hash = map(site_keys.renew_hashes(site_id, {key, new_key}).__getitem__, (key, new_key))
    if new_key != key:
        if stored.get_by_key(site_id, new_key):
            return TAKEN
        suppression = suppressions.find_by_hash(site_id, [new_hash]).get(new_hash)
        if suppression and suppression.reason == suppressions.ERASED:
            return SUPPRESSED
        suppressions.lift(site_id, [new_hash])
        moved_addresses.note(site_id, old_hash, new_hash, subscriber.id, accepted.number)
        subscriber.email_key = new_key
        _move_consent(site_id, subscriber, old_hash, suppression is not None, accepted)
    if (trim(address), new_key) == (subscriber.email, key):
        change_log.record_mentioned(site_id, accepted.source, [subscriber.id], clock.now_ms())
    else:
        before = subscriber.email
        subscriber.email = trim(address)
        subscriber.updated_at = clock.now_ms()
        stored.change_address(site_id, subscriber)
        former_links.put_holders(site_id, {new_hash: subscriber.id})
        change_log.record_address(site_id, accepted.source, subscriber, before)
        old, new = map(domain, (key, new_key))
        if new != old:
            field_values.save(site_id, {new: [subscriber.id]}, {old: [subscriber.id]})
    return None


def _move_consent(
    site_id: int, subscriber: Subscriber, old_hash: str, was_suppressed: bool, accepted: Acceptance
) -> None:
    """Suppresses the former address of an unsubscribed subscriber, and logs the consent of the new address.

    `was_suppressed` says whether the new address was suppressed until now. The subscriber's new consent event
    is not stored yet.
    """
    is_unsubscribed = subscriber.unsubscribed_at is not None
    if is_unsubscribed:
        change_log.suppress(site_id, {old_hash: _suppression(subscriber)}, accepted.number)
        subscriber.consent_at, subscriber.consent_number = accepted.at, accepted.number
    if is_unsubscribed or was_suppressed:
        change_log.log_consent(site_id, [subscriber], accepted.number)


def _suppression(subscriber: Subscriber) -> Suppression:
    """The suppression of the former address of an unsubscribed subscriber."""
    since = subscriber.consent_at or subscriber.unsubscribed_at or 0
    has_unsubscribed, kind = subscriber.unsubscribe_number is not None, subscriber.consent_kind
    if has_unsubscribed and kind == ConsentKind.UNCONFIRMED:
        kind = ConsentKind.UNSUBSCRIBE
    return Suppression(suppressions.UNSUBSCRIBED, since, subscriber.consent_number, kind)


@database.session()
def find(site: Site, email: str | None = None, uuid: str | None = None) -> Subscriber | None:
    """The subscriber with a uuid or, if `uuid` is None, with an address; None if there is none."""
    if uuid is not None:
        return stored.get_by_uuid(site.id, uuid)
    try:
        return stored.get_by_key(site.id, addresses.identity(email or ""))
    except addresses.MalformedAddress:
        return None


def get(site: Site, email: str | None = None, uuid: str | None = None) -> Subscriber:
    """The subscriber that `find` finds. Raises `NotFound`."""
    subscriber = find(site, email, uuid)
    if subscriber is None:
        raise NotFound(targets.NOBODY)
    return subscriber


@database.snapshot()
def find_many(
    site: Site, emails: Mapping[str, str], uuids: Sequence[str]
) -> tuple[list[Subscriber], dict[str, list[str]]]:
    """(The subscribers with these addresses or uuids, each once, in order; `emails` and `uuids` of nobody).

    `emails` has each address by the text that the client sent, which the second part repeats.
    """
    keys = {sent: _identity(address) for sent, address in emails.items()}
    by_key = stored.get_by_keys(site.id, {*keys.values()} - {""})
    by_uuid = stored.get_by_uuids(site.id, uuids)
    sought = [by_key.get(key) for key in keys.values()] + [by_uuid.get(uuid) for uuid in uuids]
    found = {subscriber.id: subscriber for subscriber in sought if subscriber}
    return list(found.values()), {
        "emails": [email for email, key in keys.items() if key not in by_key],
        "uuids": [uuid for uuid in uuids if uuid not in by_uuid],
    }


def _identity(email: str) -> str:
    """The key of an address; "" if it is malformed."""
    try:
        return addresses.identity(email)
    except addresses.MalformedAddress:
        return ""


@database.session()
def find_by_id(site: Site, subscriber_id: int) -> Subscriber | None:
    """The subscriber with an id; None if there is none."""
    return stored.get_by_ids(site.id, [subscriber_id]).get(subscriber_id)


@database.session()
def find_text(site: Site, pages: str, email: str | None = None, uuid: str | None = None) -> str | None:
    """Finds a subscriber as `find` does. Returns its resource as JSON, or None.

    `pages` is the URL of a subscriber's page up to the uuid.
    """
    column = subscriber_texts.text(pages)
    if uuid is not None:
        return subscriber_texts.by_uuid(site.id, uuid, column)
    try:
        return subscriber_texts.by_key(site.id, addresses.identity(email or ""), column)
    except addresses.MalformedAddress:
        return None


def is_erased(site: Site, email: str) -> bool:
    """Whether an address was erased from the site; false for a malformed one."""
    key = _identity(email)
    return bool(key and erased_keys(site, [Change(key, email)]))


@database.session()
def erased_keys(site: Site, changes: Sequence[Change]) -> set[str]:
    """The address keys of those changes whose address was erased."""
    hashes = {
        hash_: change.key for change in changes for hash_ in site_keys.address_hashes(site.id, change.key)
    }
    found_hashes = suppressions.find_by_hash(site.id, hashes)
    return {
        hashes[hash_]
        for hash_, suppression in found_hashes.items()
        if suppression.reason == suppressions.ERASED
    }
