"""Erasing subscribers: only a keyed hash of the address is kept, so that no import adds it again."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from audience import addresses, clock
from audience.access import audit_log, sessions, site_keys
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.changes import consents, targets
from audience.changes import log as change_log
from audience.changes.changes import Acceptance
from audience.erasures import log as erasure_log
from audience.erasures import waiting_imports
from audience.errors import Refused
from audience.sources import OPERATOR, RESTORE, Source
from audience.subscribers import writes as subscriber_writes
from schemas.codes import Code, Sentence
from schemas.values import FieldError
from storage import database
from storage.access import audit_log as stored_audit_log
from storage.access import site_counters
from storage.erasures import log as stored_log
from storage.erasures import suppressions
from storage.erasures.log import ERASED
from storage.erasures.suppressions import Suppression
from storage.errors import Unavailable
from storage.imports import file_imports as stored_files
from storage.imports import file_uploads as stored_uploads
from storage.instance import erased_pages
from storage.sign_ups import link_requests, sign_ups
from storage.subscribers import field_values as stored_values
from storage.subscribers import subscribers as stored
from storage.subscribers.subscribers import Subscriber
from storage.undo import undos

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TARGET = Sentence(Code.REQUIRED, "Send the email or the uuid of the subscriber to erase.")
NO_UUID = Sentence(Code.MALFORMED_VALUE, "Send a uuid of 32 hexadecimal digits, with or without dashes.")
UNKNOWN_UUID = Sentence(
    Code.UNKNOWN_SUBSCRIBER,
    "A subscriber has this email, but none has this uuid: correct the uuid, or leave it out.",
)
CHUNK_ROWS = 1_000


def check_target(email: str | None, uuid: str | None) -> None:
    """Raises `Refused` for a malformed uuid or address, or neither."""
    if uuid is not None:
        if not UUID.fullmatch(uuid):
            raise Refused(TARGET, [FieldError("uuid", NO_UUID)])
        return
    try:
        addresses.identity(email or "")
    except addresses.MalformedAddress as error:
        raise Refused(TARGET, [FieldError("email", str(error))]) from error


def erase(
    site: Site,
    instance: Path,
    email: str | None = None,
    uuid: str | None = None,
    actor: Actor | None = None,
    source: Source = OPERATOR,
) -> bool:
    """Erases the subscriber with a uuid or, without one, an address. Returns whether there was one.

    An address without a subscriber is suppressed, and its refused rows erased; it may be malformed. Raises
    `Refused` if nobody has the uuid, or the address and the uuid are of different subscribers.

    The erasure is first written to the log that outlives the database. With an `actor`, the audit log records
    it.
    """
    erased = erase_stored(site, instance, email, uuid, actor, source)
    forget(site, instance, erased)
    return erased is not None and erased.subscriber is not None


class ErasedAddress(NamedTuple):
    """An erased address: its hashes, its key unless malformed, and the subscriber who had it."""

    hashes: list[str]
    key: str | None
    subscriber: Subscriber | None


def erase_stored(
    site: Site,
    instance: Path,
    email: str | None,
    uuid: str | None,
    actor: Actor | None,
    source: Source = OPERATOR,
) -> ErasedAddress | None:
    """Erases what is stored of a subscriber as `erase` does, in one transaction. Then call `forget` with the
    result.

    Returns None if there is nothing to erase.
    """
    email = site_keys.decode_malformed((email or "").strip())
    with database.write(site.id):
        subscriber = _find(site.id, email, uuid)
        address = subscriber.email_key if subscriber else email if uuid is None else ""
        if not address:
            return None
        hashes, key = site_keys.sent_address_hashes(site.id, address), _key(address)
        erased_pages.request(instance)
        number, now = site_counters.take_acceptance_number(site.id, clock.now_ms())
        at = _instant(subscriber, now)
        stored_log.add(consents.log_lines(site.id, number, _subjects(site, hashes, subscriber, at)))
        _delete(site.id, [key] if key else [], source, number)
        forget_search_texts(site.id)
        _suppress(site.id, {hashes[0]: at}, number, hashes[1:])
        if actor:
            audit_log.record(actor, "subscriber erased", site, hashes[0])
        return ErasedAddress(hashes, key, subscriber)


def forget(site: Site, instance: Path, erased: ErasedAddress | None) -> None:
    """Erases an address from log files, waiting imports and the record, once `erase_stored` is committed."""
    if erased is None:
        return
    erasure_log.forget(instance, [*erased.hashes, *(_uuid_hashes(site.id, erased.subscriber))])
    with suppress(Unavailable):  # what is marked in the transaction is still there: a worker tries again
        if key := erased.key:
            waiting_imports.blank_erased_rows(site.id, lambda other: other == key)
        change_log.blank_erased_values(site.id)
        erased_pages.run(instance)


def erase_several(site: Site, instance: Path, keys: Sequence[str], accepted: Acceptance) -> None:
    """Erases subscribers by key, in the caller's transaction, whose acceptance is `accepted`.

    After the commit, call `blank_erased` with the same keys and, at the very end, `erasures.log.forget`.
    """
    present = list(stored.get_by_keys(site.id, keys).values())
    erased = [
        (
            site_keys.address_hashes(site.id, subscriber.email_key),
            subscriber,
            _instant(subscriber, accepted.at),
        )
        for subscriber in present
    ]
    erased_pages.request(instance)
    number = accepted.number
    subjects = [subject for row in erased for subject in _subjects(site, *row)]
    stored_log.add(consents.log_lines(site.id, number, subjects))
    _delete(site.id, [subscriber.email_key for subscriber in present], accepted.source, number)
    forget_search_texts(site.id)
    first = [hash_ for hashes, _, _ in erased for hash_ in hashes[1:]]
    _suppress(site.id, {hashes[0]: at for hashes, _, at in erased}, number, first)


def blank_erased(site: Site, keys: Collection[str]) -> None:
    """Removes erased addresses from waiting imports, and their subscribers' values from the record."""
    waiting_imports.blank_erased_rows(site.id, keys.__contains__)
    change_log.blank_erased_values(site.id)


def _suppress(site_id: int, erased_at: Mapping[str, int], number: int, first: Sequence[str] = ()) -> None:
    """Suppresses erased addresses. `erased_at` has the instant of each erasure, by hash; `first` has the
    addresses' hashes of the first scheme.

    Also erases their refused rows, sign-ups and link requests, and marks waiting imports.
    """
    stored_files.erase_refused(site_id, [*erased_at, *first])
    sign_ups.erase(site_id, [*erased_at, *first])
    link_requests.erase(site_id, [*erased_at, *first])
    suppressions.lift(site_id, first)
    erased = {key: Suppression(suppressions.ERASED, at, number) for key, at in erased_at.items()}
    suppressions.add(site_id, erased)
    waiting_imports.mark(site_id)


def erase_again(site: Site, erased_at: Mapping[str, int], uuid_hashes: Collection[str | None] = ()) -> int:
    """Repeats erasures of addresses, by their hash in `erased_at`, and of `uuid_hashes`. Returns how many.

    `erased_at` has the instant of each erasure. Only for an instance that is being restored, which no other
    process uses.
    """

    def is_erased(key_or_uuid: str) -> bool:
        hashes = site_keys.address_hashes(site.id, key_or_uuid)
        return any(hash_ in erased_at or hash_ in uuid_hashes for hash_ in hashes)

    last, erased = 0, 0
    with database.write(site.id):
        number, _ = site_counters.take_acceptance_number(site.id, clock.now_ms())
        while keys := stored.keys_after(site.id, last, CHUNK_ROWS):
            last = keys[-1][0]
            again = [key for _, key, uuid, _ in keys if is_erased(key) or is_erased(uuid)]
            erased += _delete(site.id, again, RESTORE, number)
        forget_search_texts(site.id)
        _suppress(site.id, erased_at, number)
    waiting_imports.blank_erased_rows(site.id, is_erased)
    change_log.blank_erased_values(site.id)
    return erased


def existing_uuid_hashes(site: Site, hashes: Collection[str]) -> set[str]:
    """Those of `hashes` that are the hash of an existing subscriber's uuid.

    A subscriber who is added again has a new uuid.
    """
    return _existing_hashes(site, hashes, lambda _key, uuid: uuid)


@database.writes_site
def suppress_absent(site: Site, erased_at: Mapping[str, int]) -> None:
    """Suppresses the erased addresses that have neither a subscriber nor a suppression. `erased_at` has the
    instant of each erasure, by hash.

    Numbers of erasures are not compared: applying one log raises the site's number above those in another
    log.
    """
    existing = _existing_hashes(site, erased_at, lambda key, _uuid: key)
    suppressed = suppressions.find_by_hash(site.id, erased_at)
    if absent := {key: at for key, at in erased_at.items() if key not in existing and key not in suppressed}:
        erase_again(site, absent)


def _existing_hashes(site: Site, hashes: Collection[str], read: Callable[[str, str], str]) -> set[str]:
    """The hashes that a subscriber has. `read` picks what is hashed: the address key or the uuid."""
    last, present = 0, set[str]()
    while hashes and (keys := stored.keys_after(site.id, last, CHUNK_ROWS)):
        last = keys[-1][0]
        for _, key, uuid, _ in keys:
            present.update(site_keys.address_hashes(site.id, read(key, uuid)))
        present.intersection_update(hashes)
    return present


def _subjects(
    site: Site, hashes: Sequence[str], subscriber: Subscriber | None, at: int
) -> list[consents.Subject]:
    """What the log gets of an erasure: hashes of the address, and of the uuid, since the address may differ
    in a backup.

    `hashes` includes the hash of the first scheme, for a backup from before the site had a key.
    """
    both = zip_longest(hashes, _uuid_hashes(site.id, subscriber))
    return [(address_hash, ERASED, at, at, uuid_hash) for address_hash, uuid_hash in both]


def _uuid_hashes(site_id: int, subscriber: Subscriber | None) -> list[str]:
    return site_keys.address_hashes(site_id, subscriber.uuid) if subscriber else []


def _find(site_id: int, email: str, uuid: str | None) -> Subscriber | None:
    """The subscriber to erase, by address, uuid or both; None without one.

    Raises `Refused` if nobody has the uuid though a subscriber has the address, or if they are of different
    subscribers.
    """
    key = _key(email)
    by_email = stored.get_by_key(site_id, key) if key else None
    if uuid is None:
        return by_email
    by_uuid = stored.get_by_uuid(site_id, uuid)
    if by_email and by_uuid is None:
        raise Refused(UNKNOWN_UUID, [FieldError("uuid", UNKNOWN_UUID)])
    if by_email and by_uuid and by_email.id != by_uuid.id:
        raise Refused(targets.TWO, [FieldError("uuid", targets.TWO)])
    return by_uuid


def _key(address: str) -> str | None:
    try:
        return addresses.identity(address)
    except addresses.MalformedAddress:
        return None


def _instant(subscriber: Subscriber | None, accepted_at: int) -> int:
    """The instant of the erasure, or that of the subscriber's consent event if it is later."""
    return max(accepted_at, (subscriber and subscriber.consent_at) or 0)


def _delete(site_id: int, keys: Sequence[str], source: Source, number: int) -> int:
    """Deletes the subscribers with these keys and all about them. Returns how many there were."""
    present = list(stored.get_by_keys(site_id, keys).values()) if keys else []
    if not present:
        return 0
    stored_audit_log.erase(
        site_id,
        {subscriber.uuid: site_keys.address_hash(site_id, subscriber.email_key) for subscriber in present},
    )
    subscriber_writes.delete(site_id, present)
    ids = [subscriber.id for subscriber in present]
    stored_values.erase(site_id, ids)
    undos.forget(site_id, ids)
    change_log.record_erased(site_id, source, present)
    stored_uploads.ask_search(site_id, number)
    return len(present)


def forget_search_texts(site_id: int) -> None:
    """Deletes what operators searched for: it may contain the address or name of an erased subscriber."""
    stored_audit_log.forget_search_texts(site_id)
    sessions.forget_searches(site_id)
