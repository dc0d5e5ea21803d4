"""Reading the record of changes: pages of a site, and the history of one subscriber."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from audience.change_log_entries import ERASED, RESET, LogEntry, Values, unpack
from audience.errors import NotFound, Refused
from audience.sites import Site
from schemas.values import FieldError
from storage import change_log as stored
from storage import consent_changes, database, keys, tags
from storage import subscribers as stored_subscribers
from storage.change_log import LogRow
from storage.consent_changes import ConsentChange
from storage.subscribers import DATES, Subscriber

MAX_PAGE = 1_000
HISTORY_ROWS = 100
BY_KEY = ("api", "command", "event")
NO_PLACE = (
    "The record does not reach back to this number, or never had it: export the site, and go on from the "
    "number that the export carries."
)
NOBODY = "Subscriber not found: GET /v1/fetch/subscribers finds one by its address."


class LoggedChange(NamedTuple):
    """One change; `source` is (type, id), `changed` has the new values, instants in milliseconds.

    `uuid` is None of a reset, `email` also of somebody who is gone.
    """

    number: int
    at: int
    kind: str
    source: tuple[str, str | None]
    uuid: str | None
    email: str | None
    changed: Values


class ChangePage(NamedTuple):
    """`next` is the place to go on from; `newest` and `oldest` are the bounds of the record."""

    changes: list[LoggedChange]
    next: int
    has_more: bool
    newest: int
    oldest: int


@database.session()
def newest(site: Site) -> int:
    """The number of a site's newest change: whoever copies the site now, goes on from it."""
    return stored.numbers(site.id)[0]


@database.snapshot()
def page(site: Site, after: int | None, limit: int) -> ChangePage:
    """Up to `limit` changes after a number, oldest first; None: only the bounds. Raises `Refused`."""
    last, first = stored.numbers(site.id)
    if after is None:
        return ChangePage([], last, False, last, first)
    if not first - 1 <= after <= last:
        raise Refused(NO_PLACE, [FieldError("after", NO_PLACE)])
    found = list(islice(_after(site.id, after, limit + 1), limit + 1))
    changes = _ChangeReader(site.id, found[:limit]).changes()
    return ChangePage(changes, changes[-1].number if changes else after, len(found) > limit, last, first)


Placed = tuple[LogRow, int, LogEntry, Mapping[str, str]]  # row, number, entry, names of tags


def _after(site_id: int, after: int, entries: int) -> Iterator[Placed]:
    for row in stored.after(site_id, after, entries):
        for placed in _placed(row):
            if placed[1] > after:
                yield placed


def _placed(row: LogRow) -> Iterator[Placed]:
    entries = unpack(row.entries)
    for number, entry in enumerate(entries.each(), row.number):
        yield row, number, entry, entries.tags


class History(NamedTuple):
    """The newest changes of one subscriber, newest first, and all changes of consent, oldest first.

    `created_by` is what brought them, as a source; the consents are (source, `ConsentChange`).
    """

    created_by: tuple[str, str | None]
    changes: list[LoggedChange]
    consents: list[tuple[tuple[str, str | None], ConsentChange]]


@database.snapshot()
def history(site: Site, uuid: str, limit: int = HISTORY_ROWS) -> History:
    """Raises `NotFound`."""
    subscriber = stored_subscribers.get_by_uuid(site.id, uuid)
    if subscriber is None:
        raise NotFound(NOBODY)
    kind, _, number = consent_changes.created_by(site.id, subscriber.id).partition(" ")
    said = consent_changes.of_subscriber(site.id, subscriber.id)
    known = keys.publishable({int(number or 0), *(each.source_id for each in said)})
    consents = [(_source(each.source, each.source_id, known), each) for each in said]
    return History(_source(kind, int(number or 0), known), _own(site.id, subscriber.id, limit), consents)


def _own(site_id: int, subscriber_id: int, limit: int) -> list[LoggedChange]:
    rows = reversed(stored.at_numbers(site_id, stored.numbers_of(site_id, subscriber_id, limit)))
    placed = (each for row in rows for each in _placed(row))
    own = [each for each in placed if each[2].subscriber_id == subscriber_id and each[2].new is not None]
    return _ChangeReader(site_id, own).changes()


def _source(kind: str, number: int, known_keys: Mapping[int, str]) -> tuple[str, str | None]:
    """As it is answered: a key by its publishable part."""
    if kind in BY_KEY:
        return kind, known_keys.get(number)
    return kind, str(number) if number else None


class _ChangeReader:
    """Joins entries with whom and what they name, read once for all of them."""

    def __init__(self, site_id: int, placed: Sequence[Placed]) -> None:
        self.placed = placed
        ids = {entry.subscriber_id for _, _, entry, _ in placed}
        self.people = stored_subscribers.get_by_ids(site_id, ids)
        self.erased = stored.erased(site_id, ids - self.people.keys())
        created = {entry.subscriber_id for _, _, entry, _ in placed if entry.new is None}
        known = [self.people[id_] for id_ in created & self.people.keys()]
        self.tags = tags.names(site_id, {tag_id for person in known for tag_id in person.tag_ids})
        self.keys = keys.publishable({row.source_id for row, *_ in placed if row.source in BY_KEY})

    def changes(self) -> list[LoggedChange]:
        return [self._change(*placed) for placed in self.placed]

    def _change(self, row: LogRow, number: int, entry: LogEntry, names: Mapping[str, str]) -> LoggedChange:
        source = _source(row.source, row.source_id, self.keys)
        person = self.people.get(entry.subscriber_id)
        if entry.kind == RESET:
            return LoggedChange(number, row.at, RESET, source, None, None, {})
        if person is None:
            uuid = self.erased.get(entry.subscriber_id)
            return LoggedChange(number, row.at, ERASED, source, uuid, None, {})
        changed = self._whole(person) if entry.new is None else _named(entry.new, names, row.at)
        return LoggedChange(number, row.at, entry.kind, source, person.uuid, person.email, changed)

    def _whole(self, person: Subscriber) -> Values:
        """All values of somebody new, as they are now."""
        return {
            "email": person.email,
            "first_name": person.first_name,
            "last_name": person.last_name,
            "fields": person.fields,
            "tags_added": [self.tags[tag_id] for tag_id in person.tag_ids if tag_id in self.tags],
            "tags_removed": [],
            **{name: getattr(person, name) for name in DATES},
        }


def _named(new: Values, names: Mapping[str, str], at: int) -> Values:
    """New values as they are answered: tags by name, and when it was."""
    changed = {"updated_at": at} | {name: value for name, value in new.items() if name != "tags"}
    for name, tag_ids in zip(("tags_added", "tags_removed"), new.get("tags", ([], [])), strict=True):
        if tag_ids:
            changed[name] = [names[str(tag_id)] for tag_id in tag_ids]
    return changed
