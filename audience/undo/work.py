"""The chunks of an undo, as a worker does them: each subscriber is decided on under the site's lock.

The position advances in the transaction that writes: a crash neither skips a subscriber nor undoes twice.
"""

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from audience import clock, jobs
from audience.access import audit_log, sites
from audience.access.audit_log import UNDO_REQUESTED, UNDONE, Actor
from audience.changes import log as change_log
from audience.erasures import erasures
from audience.errors import NotFound
from audience.jobs import Job
from audience.segments import names as segment_names
from audience.sources import Source
from audience.subscribers import field_values, subscribers
from audience.subscribers.tags import name_key
from audience.undo import writes as undo_writes
from audience.undo.decisions import (
    KEPT,
    REMOVED,
    RESTORED,
    SUPPRESSED,
    Decision,
    RowReader,
    UndoneAction,
)
from audience.undo.mentions import ReadPosition, read_on
from schemas.codes import Code, Sentence
from storage import database
from storage.changes import source_rows
from storage.imports import imports as stored_imports
from storage.pace import Pace
from storage.subscribers import subscribers as stored_subscribers
from storage.subscribers import tags as stored_tags
from storage.undo import undos as stored
from storage.undo.undos import FAILED, FINISHED, MENTIONED, Progress, Undo

BATCHES_AT_ONCE = 5  # of a stopped import, dropped in one transaction
MOST_ROWS = 50  # of the record in a chunk: a row without entries takes time, too
_pace = Pace(most=change_log.MOST_ENTRIES)


def undone_action(undo: Undo) -> UndoneAction:
    return UndoneAction(Source(*undo.source_pair), undo.first_row, undo.first_number, bool(undo.resubscribe))


def subject(source: Source) -> str:
    """What the audit log calls an import or bulk action."""
    return f"{'import' if source.kind == 'import' else 'bulk action'} {source.id}"


def give_up(site_id: int, undo_id: int) -> None:
    """Ends an undo that has failed too often, in the caller's transaction. A further request continues it."""
    if _get(site_id, undo_id).removed:
        erasures.forget_search_texts(site_id)
    stored.end(site_id, undo_id, FAILED, clock.now_ms())


def step(job: Job, deadline: float) -> int:
    """Continues an undo until the deadline. Returns `SETTLED` at its end, else 0."""
    _drop_waiting(job.site_id, _get(job.site_id, job.subject))
    while time.monotonic() < deadline and not database.log_is_full():
        if _do_chunk(job):
            _end(job)
            return jobs.SETTLED
        field_values.merge_if_due(job.site_id)
    return 0


KIND = jobs.Kind(stored.JOB, jobs.SITE, step, give_up, retry=stored.retry)


@database.session()
def _get(site_id: int, undo_id: int) -> Undo:
    """The undo of a job. Raises `NotFound`."""
    undo = stored.get(site_id=site_id, id=undo_id)
    if undo is None:
        raise NotFound(Sentence(Code.UNDO_NOT_FOUND, "There is no such undo on this site."))
    return undo


def _drop_waiting(site_id: int, undo: Undo) -> None:
    """Deletes the batches that a stopped import has not applied."""
    more = undo.source == "import"
    while more:
        with database.write(site_id):
            more = stored_imports.drop_batches(site_id, undo.source_id, BATCHES_AT_ONCE) > 0


def _do_chunk(job: Job) -> bool:
    """Does the next chunk: reads more mentions or, without any, decides on the next subscribers.

    Returns whether the undo is done.
    """
    site_id, undo_id = job.site_id, job.subject
    with _pace.write(site_id) as chunk:
        jobs.hold(job, jobs.SITE)
        undo = _get(site_id, undo_id)
        if not _read_on(site_id, undo):
            return False
        accepted = subscribers.accept_now(site_id, Source("undo", undo_id))
        readers, decisions = _read_rows(site_id, undo)
        if not readers:
            return True
        stored.advance(site_id, undo.id, _progress(undo, readers, decisions), clock.now_ms())
        has_traces = undo_writes.write(site_id, accepted, decisions)
        if readers[-1].is_last:
            whole = readers[-1].whole
            befores = [(id_, *before[1:]) for id_, before in readers[-1].repeated if before[0] is None]
            stored_subscribers.put_consents_back(site_id, befores, whole.accepted)
        stored.put_outcomes(
            site_id, undo_id, [(decision.id, decision.outcome, *decision.by) for decision in decisions]
        )
        chunk.rows = sum(len(reader.entries) for reader in readers)
    if has_traces:
        change_log.blank_erased_values(site_id)
    return False


def _read_on(site_id: int, undo: Undo) -> bool:
    """Stores the next mentions of subscribers whom the action created, in the caller's transaction.

    Returns whether all are stored.
    """
    reached = ReadPosition(undo.read_row, undo.read_batch, undo.read_piece)
    mentions = read_on(site_id, Source(*undo.source_pair), reached)
    decided = stored.outcomes(site_id, undo.id, mentions.by_id)
    more = [(id_, MENTIONED, *by) for id_, by in mentions.by_id.items() if id_ not in decided]
    stored.put_outcomes(site_id, undo.id, more)
    if mentions.reached != reached:
        stored.put_read(site_id, undo.id, mentions.reached)
    return mentions.is_all


def _read_rows(site_id: int, undo: Undo) -> tuple[list[RowReader], list[Decision]]:
    """The next chunk: (readers of the action's rows, decisions on their subscribers).

    A row with repeated consent events is the last of its chunk.
    """
    readers: list[RowReader] = []
    decisions: list[Decision] = []
    row_id, start, remaining = undo.place_row, undo.place, _pace.rows
    while (
        remaining > 0
        and len(readers) < MOST_ROWS
        and (row := source_rows.next_of(site_id, undo.source_pair, row_id))
    ):
        reader = RowReader(site_id, undone_action(undo), row, start if row.id == row_id else 0, remaining)
        decisions += _decide(site_id, undo.id, reader, {decision.id for decision in decisions})
        readers.append(reader)
        if not reader.is_last or reader.whole.repeated:
            break
        row_id, start, remaining = row.id + 1, 0, remaining - len(reader.entries)
    return readers, decisions


def _decide(site_id: int, undo_id: int, reader: RowReader, decided: set[int]) -> list[Decision]:
    """A reader's decisions on subscribers who are not in `decided` and have no stored outcome."""
    outcomes = stored.outcomes(site_id, undo_id, reader.ids)
    mentioned = {
        id_: Source(kind, number) for id_, (outcome, kind, number) in outcomes.items() if outcome == MENTIONED
    }
    return reader.decisions(decided | outcomes.keys() - mentioned.keys(), mentioned)


def _progress(undo: Undo, readers: Sequence[RowReader], decisions: Sequence[Decision]) -> Progress:
    count, last = count_outcomes(decisions), readers[-1]
    entries = sum(len(reader.entries) for reader in readers)
    return Progress(
        len(decisions), count[REMOVED], count[RESTORED], count[KEPT], count["unsubscribed_kept"],
        count["unsubscribed_again"], count["resubscribed"], entries - len(decisions),
        last.row.id + last.is_last, 0 if last.is_last else last.end, _additions(undo, readers),
    )  # fmt: skip


def _additions(undo: Undo, readers: Sequence[RowReader]) -> str:
    """The tags and fields that the action added to the site in rows that are read to their end, as JSON."""
    done = [reader.whole for reader in readers if reader.is_last]
    tags = [tag for whole in done for tag in whole.made_tags]
    fields = [field for whole in done for field in whole.made_fields]
    if not (tags or fields):
        return undo.made
    before = stored.additions(undo)
    return json.dumps(
        {"tags": [*before.get("tags", ()), *tags], "fields": [*before.get("fields", ()), *fields]}
    )


def count_outcomes(decisions: Sequence[Decision]) -> Counter[str]:
    """The number of decisions by outcome.

    Also counts who stays unsubscribed (`unsubscribed_kept`; with removed subscribers `away`), is unsubscribed
    again, is resubscribed, and was unsubscribed by the action alone.
    """
    count = Counter(decision.outcome for decision in decisions)
    count["away"] = sum(decision.unsubscribed_kept or decision.by == SUPPRESSED for decision in decisions)
    count["unsubscribed_kept"] = sum(decision.unsubscribed_kept for decision in decisions)
    for name in ("unsubscribed_again", "resubscribed", "only_unsubscribed"):
        count[name] = sum(getattr(decision, name) for decision in decisions)
    return count


def _end(job: Job) -> None:
    """Ends an undo, and deletes the tags and fields that the action added and nothing uses.

    Reads which fields are in use before it locks the site.
    """
    site_id, undo_id = job.site_id, job.subject
    with database.session():
        created = stored.additions(_get(site_id, undo_id))
        used = stored.fields_in_use(site_id, created.get("fields", ()))
    with database.write(site_id):
        jobs.end(job)
        undo = _get(site_id, undo_id)
        if created:
            _delete_unused(site_id, created, used)
        if undo.removed:
            erasures.forget_search_texts(site_id)
        stored.end(site_id, undo_id, FINISHED, clock.now_ms())
        _record(site_id, undo)


def _record(site_id: int, undo: Undo) -> None:
    """Records in the audit log how many subscribers an undo changed, for the operator who requested it."""
    site = sites.get(site_id)
    request = audit_log.last_undo_request(site, subject(Source(*undo.source_pair)))
    if request:
        actor = Actor(request.actor, request.client_network)
        sentence = request.act.replace(UNDO_REQUESTED, UNDONE, 1)
        audit_log.record(actor, sentence, site, request.subject, undo.removed + undo.restored)


def _delete_unused(site_id: int, created: Mapping[str, Any], used: set[str]) -> None:
    """Deletes the tags and fields that the action added, unless a subscriber, segment, report or form uses
    them.

    `used` has the fields in rows of subscribers, whose values for segments may be missing while `doctor
    --fix` makes them again.
    """
    tags, fields = segment_names.mentions(site_id)
    names = stored_tags.names(site_id, created["tags"])
    stored.drop_unused_tags(site_id, [id_ for id_, name in names.items() if name_key(name) not in tags])
    stored.drop_unused_fields(site_id, set(created["fields"]) - fields - used)
