"""Bulk actions, and the chunks of each. Instants are in milliseconds."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from peewee import ForeignKeyField, TextField

from storage import jobs
from storage.base_models import SiteOwnedModel
from storage.database import column, execute, rows
from storage.engines.chosen import engine
from storage.records import Records
from storage.sql import rows_of
from storage.subscribers.subscribers import Subscriber, find

SELECTING, QUEUED, RUNNING, FINISHED, CANCELED, FAILED, NOT_BEGUN = (
    "selecting", "queued", "running", "finished", "canceled", "failed", "not begun",
)  # fmt: skip
JOB = "bulk_act"  # the kind of its job
FIELD_DELETION = "remove_field"  # the kind of a bulk action whose subscribers its job chooses


class BulkAction(NamedTuple):
    """A bulk action, accepted with the number `seq` at the instant `accepted_at`, in milliseconds.

    `done` of its `people` subscribers are done; of those, it changed `changed`. `undoes` is the id of the
    bulk action that this one undid in an older version.
    """

    id: int
    site_id: int
    kind: str
    tag: str
    status: str
    actor: str
    client_network: str
    people: int
    done: int
    changed: int
    created_at: int
    undoes: int | None = None
    started_at: int | None = None
    finished_at: int | None = None
    seq: int = 0
    accepted_at: int = 0
    field: str = ""

    @property
    def name(self) -> str:
        """The name of the action's tag, or the key of its custom field; "" if it has neither."""
        return self.tag or self.field

    @property
    def is_open(self) -> bool:
        return self.status in (SELECTING, QUEUED, RUNNING)


class BulkActionModel(SiteOwnedModel, table="bulk_acts", record=BulkAction):
    status = TextField(index=True)

    class Meta:
        indexes = ((("site", "id"), False),)


class BulkActionChunk(NamedTuple):
    """A chunk of a bulk action; `ids` is a JSON array of subscriber ids. If it is not `waiting`, which is 1
    or 0, an older Audience did it.
    """

    id: int
    ids: str
    waiting: int = 1


class BulkActionChunkModel(SiteOwnedModel, table="bulk_act_pieces", record=BulkActionChunk):
    bulk_act = ForeignKeyField(BulkActionModel, on_delete="CASCADE", index=False)

    class Meta:
        indexes = ((("bulk_act", "waiting", "id"), False),)


ACTIONS, CHUNKS = Records(BulkActionModel, BulkAction), Records(BulkActionChunkModel, BulkActionChunk)


def add(
    site_id: int,
    kind: str,
    tag: str,
    actor: str,
    client_network: str,
    size: int,
    at: int,
    now: int,
    wait_ms: int,
) -> int:
    """Adds a bulk action, and a job that is due after `wait_ms` from `now`. Returns the action's id.

    Its `size` subscribers are still to be chosen. `now` is on the clock of leases, in milliseconds.
    """
    action_id = ACTIONS.add(
        site=site_id, kind=kind, tag=tag, status=SELECTING, actor=actor, client_network=client_network,
        people=size, done=0, changed=0, created_at=at,
    )  # fmt: skip
    jobs.add(site_id, JOB, action_id, now=now, wait_ms=wait_ms)
    return action_id


def add_field_deletion(
    site_id: int, key: str, actor: str, client_network: str, seq: int, accepted_at: int
) -> int:
    """Queues the deletion of the custom field `key`; its subscribers are chosen by the job. Returns the
    action's id.
    """
    action_id = ACTIONS.add(
        site=site_id, kind=FIELD_DELETION, tag="", field=key, status=QUEUED, actor=actor,
        client_network=client_network, people=0, done=0, changed=0, created_at=accepted_at, seq=seq,
        accepted_at=accepted_at,
    )  # fmt: skip
    jobs.add(site_id, JOB, action_id)
    return action_id


def field_deletions(site_id: int) -> list[BulkAction]:
    """The deletions of custom fields, oldest first."""
    return ACTIONS.find("ORDER BY id", site_id=site_id, kind=FIELD_DELETION)


def choose_more(site_id: int, action_id: int, chunks: Sequence[Sequence[int]]) -> None:
    """Adds chunks of subscriber ids to a bulk action, and the number of ids to its `people`."""
    execute(
        "UPDATE bulk_acts SET people = people + ? WHERE site_id = ? AND id = ?",
        (sum(map(len, chunks)), site_id, action_id),
    )
    add_chunks(site_id, action_id, chunks)


def get(site_id: int, action_id: int) -> BulkAction | None:
    return ACTIONS.get(site_id=site_id, id=action_id)


def newest(site_id: int, limit: int) -> list[BulkAction]:
    return ACTIONS.find("ORDER BY id DESC LIMIT ?", limit, site_id=site_id)


def end(site_id: int, action_id: int, status: str, at: int) -> None:
    """Gives a bulk action its final status and the instant of its end. Deletes its job."""
    set_status(site_id, action_id, status, at)
    jobs.remove(site_id, JOB, action_id)


def retry(site_id: int, action_id: int) -> None:
    """Queues a failed bulk action again, from where it stopped."""
    if ACTIONS.change({"status": QUEUED}, site_id=site_id, id=action_id, status=FAILED):
        jobs.add(site_id, JOB, action_id)


def set_status(site_id: int, action_id: int, status: str, finished_at: int | None = None) -> None:
    ACTIONS.change({"status": status, "finished_at": finished_at}, site_id=site_id, id=action_id)


def advance(site_id: int, action_id: int, done: int, changed: int, at: int) -> None:
    """Adds to the counts of a bulk action. Marks it as running, started at `at` unless it was before."""
    execute(
        f"UPDATE bulk_acts SET status = '{RUNNING}', done = done + ?, changed = changed + ?, "
        "started_at = coalesce(started_at, ?) WHERE site_id = ? AND id = ?",
        (done, changed, at, site_id, action_id),
    )


def add_chunks(site_id: int, action_id: int, chunks: Iterable[Sequence[int]]) -> None:
    waiting = (BulkActionChunk(0, json.dumps(list(chunk))) for chunk in chunks)
    CHUNKS.add_many(waiting, site_id=site_id, bulk_act_id=action_id)


def first_chunk(site_id: int, action_id: int) -> tuple[int, list[int]] | None:
    """The (id, subscriber ids) of the next waiting chunk; None if no chunk waits."""
    waiting = CHUNKS.find("ORDER BY id LIMIT 1", site_id=site_id, bulk_act_id=action_id, waiting=1)
    return next(map(_ids, waiting), None)


def chunks_after(site_id: int, action_id: int, chunk_id: int, limit: int) -> list[tuple[int, list[int]]]:
    """The (id, subscriber ids) of a bulk action's next chunks after `chunk_id`, done or not."""
    after = "AND id > ? ORDER BY id LIMIT ?"
    return list(map(_ids, CHUNKS.find(after, chunk_id, limit, site_id=site_id, bulk_act_id=action_id)))


def _ids(record: BulkActionChunk) -> tuple[int, list[int]]:
    return record.id, json.loads(record.ids)


def waiting_chunks(site_id: int, chunk_id: int, limit: int) -> list[tuple[int, int, list[int]]]:
    """The (id, bulk action id, subscriber ids) of the next waiting chunks after `chunk_id`. Those of exports,
    of deletions of fields and of canceled actions are left out.
    """
    records = rows(
        "SELECT p.id, p.bulk_act_id, p.ids FROM bulk_act_pieces p "
        "JOIN bulk_acts a ON a.site_id = p.site_id AND a.id = p.bulk_act_id "
        "WHERE p.site_id = ? AND p.id > ? AND p.waiting = 1 "
        f"AND a.kind NOT IN ('export', '{FIELD_DELETION}') "
        f"AND a.status <> '{CANCELED}' ORDER BY p.id LIMIT ?",
        (site_id, chunk_id, limit),
    )
    return [(id_, action_id, json.loads(ids)) for id_, action_id, ids in records]


def waiting_unsubscribes(site_id: int, after: int) -> list[tuple[list[int], int, int]]:
    """The (subscriber ids, number, instant) of waiting chunks of unsubscribing bulk actions with a number
    above `after`.

    Number and instant, in milliseconds, are those of the action's acceptance.
    """
    records = rows(
        "SELECT p.ids, a.seq, a.accepted_at FROM bulk_act_pieces p "
        "JOIN bulk_acts a ON a.site_id = p.site_id AND a.id = p.bulk_act_id "
        "WHERE p.site_id = ? AND p.waiting = 1 AND a.kind = 'unsubscribe' AND a.seq > ? "
        f"AND a.status IN ('{QUEUED}', '{RUNNING}', '{FAILED}') ORDER BY p.id",
        (site_id, after),
    )
    return [(json.loads(ids), number, at) for ids, number, at in records]


def accept(site_id: int, action_id: int, seq: int, at: int) -> None:
    """Queues a bulk action with the number and instant of its acceptance."""
    ACTIONS.change({"status": QUEUED, "seq": seq, "accepted_at": at}, site_id=site_id, id=action_id)
    jobs.add(site_id, JOB, action_id)


def drop_chunk(site_id: int, chunk_id: int) -> None:
    CHUNKS.delete(site_id=site_id, id=chunk_id)


def drop_chunks(site_id: int, action_id: int, limit: int) -> int:
    """Deletes up to `limit` chunks of a bulk action. Returns how many."""
    return execute(
        "DELETE FROM bulk_act_pieces WHERE site_id = ? AND id IN "
        "(SELECT id FROM bulk_act_pieces WHERE site_id = ? AND bulk_act_id = ? LIMIT ?)",
        (site_id, site_id, action_id, limit),
    )


def drop(site_id: int, action_id: int) -> None:
    """Deletes a bulk action with its chunks and its job."""
    CHUNKS.delete(site_id=site_id, bulk_act_id=action_id)
    ACTIONS.delete(site_id=site_id, id=action_id)
    jobs.remove(site_id, JOB, action_id)


def with_old_chunks(kinds: Sequence[str], before: int, site_id: int | None) -> list[tuple[int, int]]:
    """The (site id, bulk action id) of actions of a site, or of all, that no longer need their chunks.

    They never began, or are of one of `kinds` and ended before an instant.
    """
    of, among = rows_of(site_id), engine.among(kinds)
    return rows(
        f"SELECT site_id, id FROM bulk_acts WHERE {of.text} AND (status = '{NOT_BEGUN}' OR finished_at < ? "
        f"AND kind {among.text}) AND EXISTS (SELECT 1 FROM bulk_act_pieces AS p "
        "WHERE p.site_id = bulk_acts.site_id AND p.bulk_act_id = bulk_acts.id)",
        (*of.parameters, before, *among.parameters),
    )


def keys(site_id: int, ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """The (email, email key) of the existing subscribers among `ids`, by id."""
    among = engine.among(ids)
    records = rows(
        f"SELECT id, email, email_key FROM subscribers WHERE id {among.text} AND {engine.OF_SITE}",
        [*among.parameters, site_id],
    )
    return {subscriber_id: (email, key) for subscriber_id, email, key in records}


def ids_by_uuid(site_id: int, uuids: Sequence[str]) -> list[int]:
    among = engine.among(uuids)
    query = f"SELECT id FROM subscribers WHERE site_id = ? AND uuid {among.text}"
    return column(query, [site_id, *among.parameters])


def subscribers(site_id: int, ids: Sequence[int]) -> list[Subscriber]:
    """The existing subscribers among `ids`, in the order of ids."""
    among = engine.among(ids)
    return find(f"id {among.text} AND {engine.OF_SITE} ORDER BY id", [*among.parameters, site_id])
