"""People: the one door that writes them, in bulk, and the ways to find them (contract section 2)."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import uuid_utils

from audience import addresses, clock, custom_fields, pepper, segments, tags
from audience.changes import Change, Consent, amend, change, retag, same
from audience.errors import FieldError, Refused
from audience.sites import Site
from storage import database, suppressions
from storage import sites as stored_sites
from storage import subscribers as stored
from storage import tags as stored_tags
from storage.subscribers import Filters, Person

__all__ = ["Change", "Consent", "Filters", "Person", "change"]

PAGE = 100
MISSING = "Nobody here has this address: create the person first, or correct the address."
TAKEN = "The new address is somebody else's: choose another, or change that person first."
SUPPRESSED = "This person has been erased here; only the command subscribe brings the address back."


class Outcome(StrEnum):
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SUPPRESSED = "suppressed"
    MISSING = "missing"


class _NothingWritten(Exception):
    """Rolls back."""


def foresee(site_id: int, changes: Sequence[Change]) -> list[Outcome]:
    """What would become of changes; they are written and rolled back at once."""
    outcomes: list[Outcome] = []
    with suppress(_NothingWritten), database.write():
        outcomes = write(site_id, changes)
        raise _NothingWritten
    return outcomes


def write(site_id: int, changes: Sequence[Change]) -> list[Outcome]:
    """Applies changes in order, in the caller's transaction; what became of each.

    People, tags, fields and counters are read once and written once, whatever the number.
    """
    at = clock.now()
    batch = _Batch(site_id, changes)
    accepted = [each for each in changes if batch.admit(each)]
    tag_ids = tags.ensure(site_id, [name for each in accepted for name in each.tags], at)
    tag_ids |= tags.ids(site_id, [name for each in accepted for name in each.remove_tags])
    custom_fields.ensure(site_id, {key: None for each in accepted for key in each.fields}.keys(), at)
    outcomes = [batch.apply(each, tag_ids, at) for each in changes]
    batch.save(at)
    return outcomes


class _Batch:
    """The people of one bulk write: as they were, and as they become."""

    def __init__(self, site_id: int, changes: Sequence[Change]) -> None:
        self.site_id = site_id
        self.people = stored.by_keys(site_id, {each.key for each in changes})
        self.before = {key: _copy(person) for key, person in self.people.items()}
        self.bearing: dict[str, dict[int, None]] = {}
        self.updated: set[str] = set()
        self.hashes: dict[str, str] = {}
        self.known: dict[str, tuple[str, int]] = {}
        self.lifted: set[str] = set()
        self.dated: set[str] = set()
        if suppressions.exist(site_id):
            absent = {each.key for each in changes} - self.people.keys()
            self.hashes = {key: pepper.address_hash(site_id, key) for key in absent}
            self.known = suppressions.known(site_id, self.hashes.values())
        self.admitted = set(self.people)

    def admit(self, each: Change) -> bool:
        """Whether a change will be applied, given those before it."""
        if each.key not in self.admitted and each.creates and not self._erased(each):
            self.admitted.add(each.key)
        return each.key in self.admitted

    def _suppression(self, key: str) -> tuple[str, int]:
        return self.known.get(self.hashes.get(key, ""), ("", 0))

    def _erased(self, each: Change) -> bool:
        reason, since = self._suppression(each.key)
        return reason == suppressions.ERASED and not (each.consent is Consent.SUBSCRIBE and each.at >= since)

    def apply(self, each: Change, tag_ids: Mapping[str, int], at: int) -> Outcome:
        person = self.people.get(each.key)
        if person is None and self._erased(each):
            return Outcome.SUPPRESSED
        if person is None and not each.creates:
            return Outcome.MISSING
        if person is None:
            self.people[each.key] = person = self._new(each, at)
            self._amend(person, each, tag_ids)
            return Outcome.CREATED
        if not self._amend(person, each, tag_ids):
            return Outcome.UNCHANGED
        self.dated.discard(each.key)
        self.updated.add(each.key)
        return Outcome.UPDATED

    def _amend(self, person: Person, each: Change, tag_ids: Mapping[str, int]) -> bool:
        """Whether anything that shows has changed."""
        changed = amend(person, each)
        if each.tags or each.remove_tags:
            if each.key not in self.bearing:
                self.bearing[each.key] = dict.fromkeys(person.tag_ids)
            changed |= retag(self.bearing[each.key], each, tag_ids)
        return changed

    def _new(self, each: Change, at: int) -> Person:
        person = Person(0, str(uuid_utils.uuid7()), each.email, each.key, created_at=at, updated_at=at)
        person.created_at = each.dates.get("created_at", at)
        person.last_event_at = each.dates.get("last_event_at")
        if "updated_at" in each.dates:
            person.updated_at = each.dates["updated_at"]
            self.dated.add(each.key)
        reason, since = self._suppression(each.key)
        if reason:
            self.lifted.add(self.hashes[each.key])
        if reason == suppressions.UNSUBSCRIBED:
            person.unsubscribed_at = person.consent_at = since
        return person

    def save(self, at: int) -> None:
        for key, borne in self.bearing.items():
            self.people[key].tag_ids = list(borne)
        changed = [person for key, person in self.people.items() if not _same(person, self.before.get(key))]
        for person in changed:
            if person.email_key in self.updated and person.email_key not in self.dated:
                person.updated_at = at
        stored.save(self.site_id, changed)
        self._number([person for person in changed if not person.id])
        self._link()
        suppressions.lift(self.site_id, self.lifted)
        stored_sites.count(
            self.site_id,
            users=len(self.people) - len(self.before),
            unsubscribers=_unsubscribed(self.people) - _unsubscribed(self.before),
        )

    def _number(self, created: Sequence[Person]) -> None:
        ids = stored.ids(self.site_id, [person.email_key for person in created])
        for person in created:
            person.id = ids[person.email_key]

    def _link(self) -> None:
        given, taken = [], []
        for key, has in self.bearing.items():
            person, before = self.people[key], self.before.get(key)
            had = dict.fromkeys(before.tag_ids if before else ())
            given += [(tag_id, person.id) for tag_id in has.keys() - had.keys()]
            taken += [(tag_id, person.id) for tag_id in had.keys() - has.keys()]
        stored_tags.link(self.site_id, sorted(given))
        stored_tags.unlink(self.site_id, taken)


def _copy(person: Person) -> Person:
    return replace(person, fields=dict(person.fields), tag_ids=list(person.tag_ids))


def _same(person: Person, before: Person | None) -> bool:
    return before is not None and person == before and same(person.fields, before.fields)


def _unsubscribed(people: Mapping[str, Person]) -> int:
    return sum(person.unsubscribed_at is not None for person in people.values())


def create(site: Site, item: Mapping[str, Any]) -> Person:
    """Finds or creates, and updates. Raises `Refused` on a malformed or suppressed address."""
    try:
        wanted = replace(change(item, clock.now()), rewrites_email=True)
    except addresses.MalformedAddress as error:
        raise Refused(str(error), [FieldError("subscriber.email", str(error))]) from error
    with database.write():
        [outcome] = write(site.id, [wanted])
        if outcome is Outcome.SUPPRESSED:
            raise Refused(SUPPRESSED, [FieldError("subscriber.email", SUPPRESSED)])
        return stored.by_keys(site.id, [wanted.key])[wanted.key]


def change_email(site_id: int, key: str, address: str) -> str | None:
    """Moves a person, in the caller's transaction; what stands against it, or None.

    An unsubscribed person's old address stays known, so that an import does not bring it back subscribed.
    What was known of the new address ends: it is somebody's again, and this person's own consent counts.
    """
    try:
        new_key = addresses.identity(address)
    except addresses.MalformedAddress as error:
        return str(error)
    person = stored.by_key(site_id, key)
    if person is None:
        return MISSING
    old_hash, new_hash = pepper.address_hash(site_id, key), pepper.address_hash(site_id, new_key)
    if new_key != key:
        if stored.by_key(site_id, new_key):
            return TAKEN
        if suppressions.known(site_id, [new_hash]).get(new_hash, ("", 0))[0] == suppressions.ERASED:
            return SUPPRESSED
        suppressions.lift(site_id, [new_hash])
        if person.unsubscribed_at is not None:
            since = person.consent_at or person.unsubscribed_at
            suppressions.add(site_id, old_hash, suppressions.UNSUBSCRIBED, since)
    if (address.strip(), new_key) != (person.email, key):
        person.email, person.email_key, person.updated_at = address.strip(), new_key, clock.now()
        stored.move(site_id, person)
    return None


@database.session()
def find(site: Site, email: str | None = None, uuid: str | None = None) -> Person | None:
    """The person of a uuid or, without one, of an address."""
    if uuid is not None:
        return stored.by_uuid(site.id, uuid)
    try:
        return stored.by_key(site.id, addresses.identity(email or ""))
    except addresses.MalformedAddress:
        return None


@dataclass(frozen=True, kw_only=True)
class Query:
    """What a search asks for; dates are exclusive bounds in milliseconds by column."""

    after: Mapping[str, int]
    before: Mapping[str, int]
    email: str | None = None
    tags: Sequence[str] = ()
    segment_id: str | None = None


@database.session()
def search(site: Site, query: Query, page: int) -> tuple[list[Person], bool]:
    """A page of matches, newest first, counted from 1, and whether there are more. Raises `NotFound`."""
    rule = segments.matching(site.id, query.segment_id) if query.segment_id is not None else None
    known = tags.ids(site.id, query.tags)
    if len(known) < len({tags.name_key(name) for name in query.tags}):
        return [], False
    try:
        email_key = addresses.identity(query.email) if query.email is not None else None
    except addresses.MalformedAddress:
        return [], False
    filters = Filters(
        after=dict(query.after),
        before=dict(query.before),
        email_key=email_key,
        tag_ids=list(known.values()),
        rule=rule,
    )
    found = stored.search(site.id, filters, PAGE + 1, (page - 1) * PAGE)
    return found[:PAGE], len(found) > PAGE
