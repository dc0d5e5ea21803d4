"""What an import would do: its rows are written batch by batch, and each batch is rolled back.

Before each batch, the subscribers whom earlier batches mentioned are set to the state that those batches gave
them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from audience.access.sites import Site
from audience.changes.changes import Acceptance, Change, Consent, Outcome, change_from_item
from audience.imports.file_imports import FileRows
from audience.protocols import FileRow
from audience.subscribers import subscribers
from audience.subscribers.subscribers import Subscriber, WriteResult
from storage import database
from storage.engines.dry_run_states import DryRunStates
from storage.subscribers import subscribers as stored
from storage.subscribers import tags as stored_tags

BATCH_ROWS = 1_000
PREVIEW_ROWS = 20
REFUSED = "refused"


@dataclass(frozen=True)
class RowPreview:
    """A row of a file as it would be imported, with its outcome.

    `subscriber` is the subscriber after the row, with the names of its `tags`. It is None for a refused row:
    `row` then has the reason.
    """

    row: FileRow
    outcome: str
    subscriber: Subscriber | None = None
    tags: Sequence[str] = ()


@dataclass
class DryRun:
    """The result of a dry run over `rows_seen` rows of a file, which are all rows if `whole`.

    `counts` has the number of rows by outcome, or by `REFUSED`. `unsubscribed` counts the rows that would
    unsubscribe their subscriber, `new_unsubscribed` those of them that create it, `stayed_unsubscribed` the
    rows whose subscriber stays unsubscribed. `unsubscribes_ignored` and `subscribes_ignored` count the
    consent events that would be ignored. `rows` are the first rows.
    """

    counts: Counter[str] = field(default_factory=Counter)
    unsubscribed: int = 0
    new_unsubscribed: int = 0
    stayed_unsubscribed: int = 0
    unsubscribes_ignored: int = 0
    subscribes_ignored: int = 0
    rows_seen: int = 0
    whole: bool = True
    rows: list[RowPreview] = field(default_factory=list)

    def add(self, batch: Sequence[FileRow], changes: Sequence[Change], done: "BatchTrial") -> None:
        """Adds the result of a batch: its rows, the changes of the valid ones, and what these did."""
        outcomes = iter(done.written.outcomes)
        for change, result in zip(changes, done.written.outcomes, strict=True):
            created = done.after.get(change.key) if result == Outcome.CREATED else None
            self.new_unsubscribed += created is not None and created.unsubscribed_at is not None
        for row in batch:
            outcome = REFUSED if row.item is None else next(outcomes)
            self.counts[outcome] += 1
            if len(self.rows) < PREVIEW_ROWS:
                subscriber = done.after.get(change_from_item(row.item).key) if row.item else None
                tags = _names(subscriber, done.tags) if subscriber else []
                self.rows.append(RowPreview(row, outcome, subscriber, tags))
        self.rows_seen += len(batch)
        self.unsubscribed += done.written.unsubscribed
        self.stayed_unsubscribed += done.written.stayed_unsubscribed
        self.unsubscribes_ignored += done.written.unsubscribes_ignored
        self.subscribes_ignored += done.written.subscribes_ignored


def dry_run(
    site: Site, rows: FileRows, most: int | None = None, follow: Callable[[DryRun], object] = bool
) -> DryRun:
    """The result of importing the rows, or the first `most`; writes nothing.

    Calls `follow` with the result so far after each batch.
    """
    done = DryRun(whole=False)
    with closing(rows), DryRunStates() as states:
        judged = rows if most is None else islice(rows, most)
        while batch := list(islice(judged, BATCH_ROWS)):
            items = [row.item for row in batch if row.item is not None]
            changes = [change_from_item(item, time_zone=site.time_zone) for item in items]
            tried = _try(site.id, changes, states.get({change.key for change in changes}))
            states.put({key: _state(subscriber, tried.tags) for key, subscriber in tried.after.items()})
            done.add(batch, changes, tried)
            follow(done)
        done.whole = next(rows, None) is None
    return done


class _Rollback(Exception):
    pass


@dataclass(frozen=True)
class BatchTrial:
    """The result of a batch that was rolled back: the subscribers `after` it by key, and tag names by id."""

    written: WriteResult
    after: Mapping[str, Subscriber]
    tags: Mapping[int, str]


def _try(site_id: int, changes: Sequence[Change], states: Mapping[str, Any]) -> BatchTrial:
    """Writes the changes, and rolls back. `states` has the subscribers of earlier batches."""
    done = BatchTrial(WriteResult([], {}, 0, 0, 0, 0), {}, {})
    with suppress(_Rollback), database.write(site_id):
        accepted = subscribers.accept_now(site_id)
        if states:
            _restore(site_id, states, accepted)
        result = subscribers.write(site_id, changes, accepted)
        after = stored.get_by_keys(site_id, {change.key for change in changes})
        done = BatchTrial(result, after, _tag_names(site_id, after))
        raise _Rollback
    return done


def _tag_names(site_id: int, by_key: Mapping[str, Subscriber]) -> dict[int, str]:
    return stored_tags.names(
        site_id, {tag_id for subscriber in by_key.values() for tag_id in subscriber.tag_ids}
    )


def _names(subscriber: Subscriber, tags: Mapping[int, str]) -> list[str]:
    """The names of a subscriber's tags, without a deleted one that is still being removed."""
    return [tags[tag_id] for tag_id in subscriber.tag_ids if tag_id in tags]


def _state(subscriber: Subscriber, tags: Mapping[int, str]) -> list[Any]:
    """The state of a subscriber, for `_restore`."""
    return [
        subscriber.email,
        *stored.texts(subscriber),
        subscriber.fields,
        _names(subscriber, tags),
        stored.consent(subscriber),
    ]


def _restore(site_id: int, states: Mapping[str, Any], accepted: Acceptance) -> None:
    """Gives subscribers the state in which earlier batches left them."""
    subscribers.write(site_id, list(_restoring_changes(site_id, states)), accepted)
    existing = stored.get_by_keys(site_id, states).values()
    for subscriber in existing:
        for name, value in zip(stored.CONSENT, states[subscriber.email_key][-1], strict=True):
            setattr(subscriber, name, value)
    stored.put_consents(site_id, existing)


def _restoring_changes(site_id: int, states: Mapping[str, Any]) -> Iterator[Change]:
    """Yields the changes that give subscribers these states, except for consent.

    They remove no names or values, because no import does.
    """
    before = stored.get_by_keys(site_id, states)
    tags = _tag_names(site_id, before)
    for key, (email, *texts, fields, names, _) in states.items():
        state = before.get(key)
        removed_tags = [name for name in _names(state, tags) if name not in names] if state else []
        consent = "" if state else Consent.SUBSCRIBE  # which adds erased people, too
        change: list[Any] = [key, email, *texts, fields, names, removed_tags, consent]
        yield Change(*change)
