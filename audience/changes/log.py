"""The record of changes: what each write did to the subscribers of a site, in the transaction that did it.

Whatever saves a batch of subscribers calls `record`. The other functions record what is written without a
batch. Numbers are taken under the site's lock: their order is that of the commits.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from audience import clock
from audience.access import site_keys
from audience.changes import consent_log, consents
from audience.changes.batches import ABSENT, SubscriberBatch
from audience.changes.entries import Changed, Entries, Repeated, Values, merge, unpack
from audience.sources import Source, SourceKind
from storage import database
from storage import jobs as stored_jobs
from storage.bulk import tag_renames
from storage.changes import changed_subscribers as stored_changed
from storage.changes import log as stored
from storage.changes.consents import ConsentKind
from storage.erasures import log as stored_log
from storage.erasures import suppressions
from storage.erasures.suppressions import Suppression
from storage.subscribers import subscribers as stored_subscribers
from storage.subscribers import tags as stored_tags
from storage.subscribers.batches import (
    CONSENT,
    CONSENT_AT,
    CONSENT_KIND,
    CONSENT_NUMBER,
    CREATED_BY,
    EMAIL,
    EVENTS,
    ID,
    KEY,
    LAST_EVENT_AT,
    NAMES,
    TAG_IDS,
    TEXT_POSITIONS,
    TEXTS,
    UNSUBSCRIBED_AT,
    SubscriberRow,
)
from storage.subscribers.subscribers import TEXT_COLUMNS, Subscriber
from storage.webhooks import deliveries as stored_deliveries
from storage.webhooks import webhooks as stored_webhooks

_noted: ContextVar[set[int] | None] = ContextVar("sites with something new to send", default=None)
_parts: ContextVar[list[tuple[int, Entries]] | None] = ContextVar("parts of one transaction", default=None)

MOST_ENTRIES = 1_000  # of one row
CREATED_BY_IMPORT = "import "  # whom an undo deletes, unless they are mentioned; bulk actions create nobody
UNDONE_WHOLE = SourceKind.IMPORT  # repeated consent events of an import are recorded, for its undo
BLANKED_AT_ONCE = 1_000
COLUMNS = {
    TEXTS: ((EMAIL, "email"),),
    NAMES: tuple(zip(TEXT_POSITIONS, TEXT_COLUMNS, strict=True)),
    EVENTS: ((LAST_EVENT_AT, "last_event_at"),),
    CONSENT: ((UNSUBSCRIBED_AT, "unsubscribed_at"),),
}
PLAIN = [  # the columns of plain values, by the sum of the groups that differ
    [column for group, columns in COLUMNS.items() if groups & group for column in columns]
    for groups in range(sum(COLUMNS) + 1)
]


def record(
    batch: SubscriberBatch, created: Sequence[SubscriberRow], changed: Mapping[int, Sequence[SubscriberRow]]
) -> None:
    """Adds what a saved batch did to the change log, and to the log of consent.

    `changed` has the changed existing subscribers, by the sum of their changed groups of columns.
    """
    entries = _entries(batch, created, changed)
    if batch.tagged:
        _name_tags(batch, entries)
    _add(batch.site_id, entries, batch.at, batch.accepted.source)
    consent_log.note(batch, created, changed)


def _entries(
    batch: SubscriberBatch, created: Sequence[SubscriberRow], changed: Mapping[int, Sequence[SubscriberRow]]
) -> Entries:
    lifted = [subscriber for subscriber in created if subscriber[KEY] in batch.lifted] if batch.lifted else []
    is_import = batch.accepted.source.kind == UNDONE_WHOLE
    repeated = [
        row
        for groups, subscribers in changed.items()
        if groups & CONSENT and is_import
        for row in _repeated_consents(batch, subscribers)
    ]
    entries = Entries(
        created=[subscriber[ID] for subscriber in created],
        changed=[
            _changed_entry(batch, subscriber, batch.existing[subscriber[KEY]], groups)
            for groups, subscribers in changed.items()
            if groups & TEXTS
            for subscriber in subscribers
        ],
        left=[subscriber[ID] for subscriber in created if subscriber[UNSUBSCRIBED_AT] is not None],
        back=[subscriber[ID] for subscriber in lifted if subscriber[UNSUBSCRIBED_AT] is None],
        made_tags=batch.made_tags,
        made_fields=batch.made_fields,
        lifted=[(subscriber[ID], *batch.lifted[subscriber[KEY]]) for subscriber in lifted],
        repeated=repeated,
        ignored=[(row[ID], shown_at, *event) for row, shown_at, event in batch.consents.ignored],
        accepted=batch.accepted.number if is_import or batch.consents.changes or batch.lifted else 0,
    )
    if len(entries.changed) < len(batch.existing):
        ids = {row[0] for row in entries.changed}
        entries.unchanged = [
            row[ID]
            for row in batch.existing.values()
            if row[CREATED_BY].startswith(CREATED_BY_IMPORT) and row[ID] not in ids
        ]
    return entries


def _name_tags(batch: SubscriberBatch, entries: Entries) -> None:
    """Adds the names of the tags in entries. Where a tag is removed that is still being renamed, adds its
    former name.
    """
    tagged = {id_: new["tags"] for id_, new, _ in entries.changed if "tags" in new}
    tag_ids = {tag_id for added, removed in tagged.values() for tag_id in (*added, *removed)}
    names = stored_tags.names(batch.site_id, tag_ids)
    if any(removed for _, removed in tagged.values()):
        now = {batch.subscribers[key][ID]: ids.keys() for key, ids in batch.tagged.items()}
        for rename in tag_renames.list_unrecorded(batch.site_id):
            names[rename.former_id] = rename.name
            same = stored_tags.ids_of_name(batch.site_id, rename.name, rename.name_key)
            for id_, (_, removed) in tagged.items():
                if rename.tag_id in removed:
                    has_same = not same.isdisjoint(now[id_])
                    removed[:] = {*removed} - {rename.former_id} if has_same else {*removed, rename.former_id}
    entries.tags = {str(tag_id): name for tag_id, name in names.items()}


def _repeated_consents(batch: SubscriberBatch, subscribers: Sequence[SubscriberRow]) -> Iterator[Repeated]:
    """Yields the earlier consent event of each subscriber that was subscribed and still is."""
    for subscriber in subscribers:
        before = batch.existing[subscriber[KEY]]
        if subscriber[UNSUBSCRIBED_AT] is None and before[UNSUBSCRIBED_AT] is None:
            yield subscriber[ID], before[CONSENT_AT], before[CONSENT_NUMBER], before[CONSENT_KIND]


def _changed_entry(
    batch: SubscriberBatch, subscriber: SubscriberRow, before: Sequence[object], groups: int
) -> Changed:
    """The entry of a changed subscriber. `groups` is the sum of the changed groups of columns."""
    new: Values = {}
    old: Values = {}
    for position, name in PLAIN[groups]:
        if subscriber[position] != before[position]:
            new[name], old[name] = subscriber[position], before[position]
    key = subscriber[KEY]
    if replaced := batch.replaced.get(key):
        values = batch.values[key]
        after: Values = {}
        was: Values = {}
        for name, value in replaced.items():
            after[name], was[name] = values.get(name), None if value is ABSENT else value
        new["fields"], old["fields"] = after, was
    if subscriber[TAG_IDS] != before[TAG_IDS]:
        tagged, had = batch.tagged[key], batch.tagged_before[key]
        added, removed = tagged.keys() - had.keys(), had.keys() - tagged.keys()
        if added or removed:
            new["tags"] = [list(added), list(removed)]
    if groups & CONSENT:
        old["consent"] = [before[CONSENT_AT], before[CONSENT_NUMBER], before[CONSENT_KIND]]
    return subscriber[ID], new, old


def suppress(site_id: int, by_hash: Mapping[str, Suppression], number: int) -> None:
    """Suppresses addresses without a subscriber, by hash, and logs that, in the caller's transaction."""
    suppressions.add(site_id, by_hash)
    stored_log.add(consents.log_lines(site_id, number, consents.of_suppressions(by_hash)))


def log_consent(site_id: int, subscribers: Iterable[Subscriber], number: int) -> None:
    """Logs whether each subscriber's present address is unsubscribed, in the caller's transaction."""
    stored_log.add(consents.log_lines(site_id, number, consents.of_subscribers(site_id, subscribers)))


def log_freed(site_id: int, keys: Iterable[str], number: int) -> None:
    """Logs that addresses without a subscriber are no longer unsubscribed, in the caller's transaction."""
    freed = [(site_keys.address_hash(site_id, key), ConsentKind.NONE, None, None, None) for key in keys]
    stored_log.add(consents.log_lines(site_id, number, freed))


def record_address(site_id: int, source: Source, subscriber: Subscriber, before: str) -> None:
    """Records that a subscriber's address was changed from `before` to its present one."""
    changed: Changed = (subscriber.id, {"email": subscriber.email}, {"email": before})
    _add(site_id, Entries(changed=[changed]), subscriber.updated_at, source)


def record_mentioned(site_id: int, source: Source, ids: Collection[int], at: int) -> None:
    """Records that something mentioned subscribers, without a change, if an import created them."""
    created = stored_subscribers.created_by_imports(site_id, ids)
    _add(site_id, Entries(unchanged=created), at, source)


def record_tags(
    site_id: int,
    source: Source,
    changed: Mapping[int, tuple[Collection[int], Collection[int]]],
    names: Mapping[int, str],
    at: int,
) -> None:
    """Records that a tag was deleted, renamed or merged: `changed` has the tag ids (added, removed) by
    subscriber, `names` the names of the tags. A subscriber with neither only has a new `updated_at`.
    """
    entries: list[Changed] = [
        (id_, {"tags": [list(added), list(removed)]} if added or removed else {}, {})
        for id_, (added, removed) in changed.items()
    ]
    tags = {str(tag_id): name for tag_id, name in names.items()}
    _add(site_id, Entries(changed=entries, tags=tags, unnamed=True), at, source)


def record_erased(
    site_id: int, source: Source, subscribers: Sequence[Subscriber], to_blank: Collection[int] | None = None
) -> None:
    """Records that subscribers were erased. After the commit, call the function `blank`.

    `to_blank` has the ids of those who may have values in the change log; None means all. Stored answers of
    webhook receivers are removed, as they may be about these subscribers.
    """
    for start in range(0, len(subscribers), MOST_ENTRIES):
        chunk = subscribers[start : start + MOST_ENTRIES]
        number = _add(site_id, Entries(erased=[row.id for row in chunk]), clock.now_ms(), source)
        erased_people = [(row.id, row.uuid, int(to_blank is None or row.id in to_blank)) for row in chunk]
        stored.erase(site_id, erased_people, number + len(chunk) - 1)
    stored_deliveries.forget_answers(site_id)


def record_reset(site_id: int, source: Source, at_least: int) -> None:
    """Records that copies of the site must begin anew: earlier cursors become invalid.

    The number of this change is at least `at_least`.
    """
    at = clock.now_ms()
    stored.raise_to(site_id, max(stored.numbers(site_id)[0] + 2, at_least))
    _add(site_id, Entries(reset=True), at, source)


@contextmanager
def one_transaction(site_id: int, source: Source) -> Iterator[None]:
    """Records several writes of the caller's transaction as one: a net entry for each subscriber."""
    parts: list[tuple[int, Entries]] = []
    token = _parts.set(parts)
    try:
        yield
    finally:
        _parts.reset(token)
    if parts:
        at, entries = parts[-1]
        _add(site_id, merge(parts) if len(parts) > 1 else entries, at, source)


def note_sites() -> set[int]:
    """Starts a set that collects, in this context, the ids of sites with something new to send."""
    noted: set[int] = set()
    _noted.set(noted)
    return noted


def note_site(site_id: int) -> None:
    """Adds a site to the set of `note_sites`, if this context has one."""
    if (noted := _noted.get()) is not None:
        noted.add(site_id)


def _add(site_id: int, entries: Entries, at: int, source: Source) -> int:
    """Adds the transaction's row to the change log, and wakes the site's webhooks. Returns its first number.

    Returns 0 if no row is added: nothing changed, or `one_transaction` will add one row for all parts.
    """
    if (parts := _parts.get()) is not None:
        parts.append((at, entries))
        return 0
    unnumbered = entries.unnumbered_ids()
    if not (entries or entries.unchanged or unnumbered):
        return 0
    number = stored.add(site_id, len(entries), at, source, entries.pack())
    if entries and stored_jobs.wake(site_id, stored_webhooks.JOB):
        note_site(site_id)
    stored_changed.add(site_id, number, entries.indexed_ids())
    if unnumbered:
        stored_changed.add_unnumbered(site_id, number, unnumbered)
    return number


def blank_erased_values(site_id: int) -> None:
    """Removes erased subscribers' values from the change log, each row in its own transaction."""
    while ids := _to_blank(site_id):
        for number, erased_ids in _rows_of(site_id, ids):
            _blank_row(site_id, number, erased_ids)
        with database.write(site_id):
            stored.mark_blanked(site_id, ids)


@database.session()
def _to_blank(site_id: int) -> list[int]:
    return stored.to_blank(site_id, BLANKED_AT_ONCE)


def _rows_of(site_id: int, ids: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    with database.session():
        rows = stored_changed.rows_of(site_id, ids)
    yield from rows.items()


@database.writes_site
def _blank_row(site_id: int, number: int, ids: Sequence[int]) -> None:
    for old in stored.rows_indexed_as(site_id, [number]):
        stored.rewrite(site_id, old, unpack(old.entries).without(ids).pack())
        stored_changed.remove(site_id, old, ids)
