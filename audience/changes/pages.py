"""Reading the record of changes: pages of a site, and the history of one subscriber."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from audience.access.sites import Site
from audience.changes.entries import ERASED, RESET, LogEntry, Values, unpack
from audience.changes.targets import NOBODY
from audience.errors import NotFound, Refused
from audience.sources import BY_KEY
from schemas.codes import Code, Sentence
from schemas.values import FieldError
from storage import database
from storage.access import keys
from storage.changes import changed_subscribers, consent_changes
from storage.changes import log as stored
from storage.changes.consent_changes import ConsentChange
from storage.changes.log import LogRow
from storage.forms import forms
from storage.sign_ups import proofs as stored_proofs
from storage.sign_ups.proofs import Proof
from storage.subscribers import subscribers as stored_subscribers
from storage.subscribers import tags
from storage.subscribers.subscribers import Subscriber, read_values

ReadFields = Callable[[str], Any]

MAX_PAGE = 1_000
HISTORY_ROWS = 100
NO_PLACE = Sentence(
    Code.CURSOR_TOO_OLD,
    "The record does not reach back to this number, or never had it: export the site, and continue from the "
    "number in the export.",
)


class LoggedChange(NamedTuple):
    """A change as clients read it. `source` is (type, id); `changed` has the new values, instants in
    milliseconds.

    `uuid` is None for a reset; `email` also for a subscriber that no longer exists.
    """

    number: int
    at: int
    kind: str
    source: tuple[str, str | None]
    uuid: str | None
    email: str | None
    changed: Values


class ChangePage(NamedTuple):
    """A page of changes. `next` is the cursor of the next one; `newest` and `oldest` bound the change log."""

    changes: list[LoggedChange]
    next: int
    has_more: bool
    newest: int
    oldest: int


@database.session()
def newest_number(site: Site) -> int:
    """The number of a site's newest change, from which a client that copies the site now continues."""
    return stored.numbers(site.id)[0]


@database.on_replica
def page(site: Site, after: int | None, limit: int, read_fields: ReadFields = read_values) -> ChangePage:
    """Up to `limit` changes after the number `after`, oldest first. If `after` is None, the page has only the
    bounds.

    `read_fields` reads a created subscriber's custom values from JSON. Raises `Refused` if the record does
    not reach back to `after`.
    """
    last, first = stored.numbers(site.id)
    if after is None:
        return ChangePage([], last, False, last, first)
    if not first - 1 <= after <= last:
        raise Refused(NO_PLACE, [FieldError("after", NO_PLACE)])
    changes = _ChangeReader(site.id, _after(site.id, after, limit), read_fields).changes()
    reached = changes[-1].number if changes else last
    return ChangePage(changes, changes[-1].number if changes else after, reached < last, last, first)


class RowEntries(NamedTuple):
    """Some entries of one row of the change log, the number of the first, and the names of tags by id."""

    row: LogRow
    number: int
    entries: list[LogEntry]
    tags: Mapping[str, str]


def _after(site_id: int, after: int, limit: int) -> list[RowEntries]:
    """Up to `limit` entries after the number `after`, by row of the change log."""
    parts: list[RowEntries] = []
    for row in stored.rows_after(site_id, after, limit):
        entries, start = unpack(row.entries), max(0, after + 1 - row.number)
        parts.append(RowEntries(row, row.number + start, entries.in_order(start, limit), entries.tags))
        limit -= len(parts[-1].entries)
    return parts


class ConsentRecord(NamedTuple):
    """All changes of a subscriber's consent, oldest first, as (source, `ConsentChange`).

    `created_by` is the source that created the subscriber. `proofs` are those of confirmed sign-ups, each
    with its wording.
    """

    subscriber: Subscriber
    created_by: tuple[str, str | None]
    events: list[tuple[tuple[str, str | None], ConsentChange]]
    proofs: Sequence[tuple[Proof, str]] = ()


@database.snapshot()
def consent(site: Site, uuid: str) -> ConsentRecord:
    """The consent record of a subscriber, with proofs. Raises `NotFound`."""
    record = _consent(site.id, uuid)
    proofs = stored_proofs.for_subscriber(site.id, record.subscriber.id)
    return record._replace(proofs=[(proof, _wording(site.id, proof)) for proof in proofs])


def _wording(site_id: int, proof: Proof) -> str:
    version = {"form_id": proof.form_id, "version": proof.version, "language": proof.language}
    found = forms.get_wording(site_id=site_id, **version)
    return found.text if found else ""


def _consent(site_id: int, uuid: str) -> ConsentRecord:
    """The consent record of a subscriber, without proofs, in the caller's session. Raises `NotFound`."""
    subscriber = stored_subscribers.get_by_uuid(site_id, uuid)
    if subscriber is None:
        raise NotFound(NOBODY)
    kind, _, number = consent_changes.created_by(site_id, subscriber.id).partition(" ")
    changes = consent_changes.for_subscriber(site_id, subscriber.id)
    publishable_keys = keys.publishable({int(number or 0), *(item.source_id for item in changes)})
    events = [(readable_source(item.source, item.source_id, publishable_keys), item) for item in changes]
    return ConsentRecord(subscriber, readable_source(kind, int(number or 0), publishable_keys), events)


class History(NamedTuple):
    """The history of a subscriber: its consent, and its newest changes, newest first."""

    consent: ConsentRecord
    changes: list[LoggedChange]


@database.snapshot()
def history(site: Site, uuid: str, limit: int = HISTORY_ROWS) -> History:
    """The history of a subscriber. Raises `NotFound`."""
    record = _consent(site.id, uuid)
    return History(record, _own(site.id, record.subscriber.id, limit))


def _own(site_id: int, subscriber_id: int, limit: int) -> list[LoggedChange]:
    """Up to `limit` of a subscriber's newest changes."""
    parts: list[RowEntries] = []
    for row in reversed(
        stored.at_numbers(site_id, changed_subscribers.numbers_of(site_id, subscriber_id, limit))
    ):
        entries = unpack(row.entries)
        parts += [
            RowEntries(row, number, [entry], entries.tags)
            for number, entry in enumerate(entries.in_order(), row.number)
            if entry.subscriber_id == subscriber_id and entry.new is not None
        ]
    return _ChangeReader(site_id, parts, read_values).changes()


def readable_source(kind: str, number: int, known_keys: Mapping[int, str]) -> tuple[str, str | None]:
    """A source as clients read it: an API key by its publishable part, which `known_keys` has by id."""
    if kind in BY_KEY:
        return kind, known_keys.get(number)
    return kind, str(number) if number else None


class _ChangeReader:
    """Makes changes as clients read them. Reads at once what all entries mention."""

    def __init__(self, site_id: int, parts: Sequence[RowEntries], read_fields: ReadFields) -> None:
        self.parts = parts
        ids = {entry.subscriber_id for part in parts for entry in part.entries}
        new = {entry.subscriber_id for part in parts for entry in part.entries if entry.new is None}
        self.created = _whole(site_id, new, read_fields) if new else {}
        self.who = {id_: (uuid, values["email"]) for id_, (uuid, values) in self.created.items()}
        if others := ids - new:
            self.who |= stored_subscribers.identities(site_id, others)
        missing = ids - self.who.keys()
        self.erased = stored.erased_uuids(site_id, missing) if missing else {}
        self.publishable_keys = keys.publishable(
            {part.row.source_id for part in parts if part.row.source in BY_KEY}
        )

    def changes(self) -> list[LoggedChange]:
        return [change for part in self.parts for change in self._changes(*part)]

    def _changes(
        self, row: LogRow, number: int, entries: Sequence[LogEntry], names: Mapping[str, str]
    ) -> Iterator[LoggedChange]:
        at, source, who = row.at, readable_source(row.source, row.source_id, self.publishable_keys), self.who
        for position, (kind, id_, new, _) in enumerate(entries, number):
            if kind == RESET:
                yield LoggedChange(position, at, RESET, source, None, None, {})
            elif id_ not in who:
                yield LoggedChange(position, at, ERASED, source, self.erased.get(id_), None, {})
            else:
                changed = self.created[id_][1] if new is None else _with_tag_names(new, names, at)
                yield LoggedChange(position, at, kind, source, *who[id_], changed)


def _whole(site_id: int, ids: Collection[int], read_fields: ReadFields) -> dict[int, tuple[str, Values]]:
    """The created subscribers that still exist, by id: uuid, and all values as they are now."""
    records = stored_subscribers.shown_rows(site_id, ids)
    tag_ids = {text: orjson.loads(text) for text in {text for *_, text, _, _, _, _ in records}}
    names = tags.names(site_id, {tag_id for parsed_ids in tag_ids.values() for tag_id in parsed_ids})
    tagged = {
        text: [names[tag_id] for tag_id in parsed_ids if tag_id in names]
        for text, parsed_ids in tag_ids.items()
    }
    return {
        id_: (
            uuid,
            {
                "email": email,
                **dict(zip(stored_subscribers.TEXT_COLUMNS, texts, strict=True)),
                "fields": read_fields(fields),
                "tags_added": tagged[tags_text],
                "tags_removed": [],
                "created_at": created_at,
                "updated_at": updated_at,
                "last_event_at": last_event_at,
                "unsubscribed_at": unsubscribed_at,
            },
        )
        for (
            id_, uuid, email, *texts, fields, tags_text,
            created_at, updated_at, last_event_at, unsubscribed_at,
        ) in records
    }  # fmt: skip


def _with_tag_names(new: Values, names: Mapping[str, str], at: int) -> Values:
    """New values as clients read them: with tags by name, and the instant of the change."""
    changed = {"updated_at": at, **new}
    if "tags" in changed:
        for name, tag_ids in zip(("tags_added", "tags_removed"), changed.pop("tags"), strict=True):
            if tag_ids:
                changed[name] = [names[str(tag_id)] for tag_id in tag_ids]
    return changed
