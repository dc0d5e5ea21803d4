"""Undos, and their outcome for each subscriber. Instants are in milliseconds."""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from peewee import BigIntegerField, CompositeKey, IntegerField, TextField

from storage import jobs
from storage.base_models import BaseModel, SiteOwnedModel, add_partial_index
from storage.database import execute, execute_many, row, rows
from storage.engines.chosen import engine
from storage.imports.imports import WAITING
from storage.records import Records
from storage.sql import insert_into, replacing, rows_of
from storage.subscribers import field_values, tags

FINISHED, FAILED = "finished", "failed"
KEPT, MENTIONED = "kept", "mentioned"
JOB = "undo"  # the kind of its job
FIELDS_AT_ONCE = 500  # custom fields in one query over all subscribers; it has at most 1,664 columns
OUTCOME_COLUMNS = ("site_id", "undo_id", "subscriber_id", "outcome", "source", "source_id")
OUTCOME_CHANGED = replacing(OUTCOME_COLUMNS[:3], OUTCOME_COLUMNS[3:])


class Undo(NamedTuple):
    """The undo of an import or a bulk action, which is (`source`, `source_id`).

    `rows` is the number of entries that the undone action has in the change log; `applied` of them are
    decided. The next entry is at position `place` in the log's row `place_row`. `made` has the tags and
    fields that the undone action added to the site, as JSON. `resubscribe` is 1 or 0.

    The undo has read later mentions of subscribers up to these ids: `read_row` of the change log,
    `read_batch` of imports, `read_piece` of bulk actions.
    """

    id: int
    source: str
    source_id: int
    status: str
    rows: int
    resubscribe: int
    created_at: int
    first_row: int
    first_number: int
    place_row: int
    read_row: int
    started_at: int | None = None
    finished_at: int | None = None
    applied: int = 0
    removed: int = 0
    restored: int = 0
    kept: int = 0
    unsubscribed_kept: int = 0
    unsubscribed_again: int = 0
    resubscribed: int = 0
    place: int = 0
    made: str = "{}"
    read_batch: int = 0
    read_piece: int = 0

    @property
    def source_pair(self) -> tuple[str, int]:
        return self.source, self.source_id


class UndoModel(SiteOwnedModel, table="undos", record=Undo):
    """By its acceptance number `turn`, an undo waits in the site's order, as imports do."""

    turn = BigIntegerField()
    accepted_at = BigIntegerField()

    class Meta:
        indexes = ((("site", "source", "source_id"), True),)


_undos: Any = UndoModel
add_partial_index("undos_waiting", _undos.site, _undos.turn,
    where=_undos.status.in_(("queued", "running")))  # fmt: skip


class UndoOutcomeModel(BaseModel, table="undo_people"):
    """What an undo did to a subscriber: `removed`, `restored` or `kept`. For `kept`, the source is the later
    change that is the reason.

    Before the undo decides, a subscriber may be `mentioned` by a later source. No foreign keys.
    """

    site_id = IntegerField()
    undo_id = IntegerField()
    subscriber_id = IntegerField()
    outcome = TextField()
    source = TextField()
    source_id = IntegerField()

    class Meta:
        primary_key = CompositeKey("site_id", "undo_id", "subscriber_id")
        without_rowid = True


class FailedUndo(NamedTuple):
    """An undo with the status `failed`. It had decided on `applied` of its `rows` entries."""

    site_uuid: str
    source: str
    source_id: int
    applied: int
    rows: int


class KeptSubscriber(NamedTuple):
    """A subscriber whom an undo left as changed, because of the later change (`source`, `source_id`)."""

    id: int
    email: str
    uuid: str
    source: str
    source_id: int


class Progress(NamedTuple):
    """What one transaction adds to the counts of an undo, and where the next transaction continues.

    `repeated` counts entries about subscribers with an earlier entry: they are subtracted from `rows`.
    """

    applied: int
    removed: int
    restored: int
    kept: int
    unsubscribed_kept: int
    unsubscribed_again: int
    resubscribed: int
    repeated: int
    place_row: int
    place: int
    made: str


UNDOS = Records(UndoModel, Undo)
get = UNDOS.get


def list_failed(site_id: int | None) -> list[FailedUndo]:
    """The undos of a site, or of all, that failed, oldest first."""
    of = rows_of(site_id, "u.")
    records = rows(
        "SELECT s.uuid, u.source, u.source_id, u.applied, u.rows FROM undos u "
        f"JOIN sites s ON s.id = u.site_id WHERE {of.text} AND u.status = '{FAILED}' ORDER BY u.id",
        of.parameters,
    )
    return [FailedUndo(*record) for record in records]


def add(
    site_id: int,
    source: tuple[str, int],
    rows: int,
    first: tuple[int, int],
    turn: int,
    at: int,
    resubscribe: bool = False,
) -> int:
    """Queues an undo of `source`, an (import or bulk action, id), under the acceptance number `turn`. Returns
    its id.

    `rows` is the number of the source's entries in the change log. `first` is the (id, number) of the log's
    first row about it.
    """
    undo_id = UNDOS.add(
        site=site_id, source=source[0], source_id=source[1], status="queued", rows=rows, created_at=at,
        accepted_at=at, turn=turn, resubscribe=int(resubscribe), first_row=first[0], first_number=first[1],
        place_row=first[0], read_row=first[0],
    )  # fmt: skip
    jobs.add(site_id, JOB, undo_id, turn)
    return undo_id


def get_by_source(site_id: int, source: tuple[str, int]) -> Undo | None:
    """The undo of an import or bulk action; None without one."""
    return UNDOS.get(site_id=site_id, source=source[0], source_id=source[1])


def statuses(site_id: int, source: str) -> dict[int, str]:
    """The statuses of the undos of a site's imports or bulk actions, by the id of the undone one."""
    return dict(UNDOS.select("source_id, status", site_id=site_id, source=source))


def sources(site_id: int) -> set[tuple[str, int]]:
    """The imports and bulk actions of a site that have an undo, whatever its status."""
    return set(UNDOS.select("source, source_id", site_id=site_id))


def numbers_of_imports_with_undo(site_id: int) -> set[int]:
    """The acceptance numbers of a site's imports that have an undo, whatever its status."""
    query = (
        "SELECT i.turn FROM undos u JOIN imports i ON i.id = u.source_id AND i.site_id = u.site_id "
        "WHERE u.site_id = ? AND u.source = 'import'"
    )
    return {number for (number,) in rows(query, (site_id,))}


def any_open(site_id: int) -> bool:
    return row(f"SELECT 1 FROM undos WHERE site_id = ? AND {WAITING} LIMIT 1", (site_id,)) is not None


def advance(site_id: int, undo_id: int, more: Progress, at: int) -> None:
    """Adds the progress of one transaction to an undo. Marks it as running."""
    execute(
        "UPDATE undos SET applied = applied + ?, removed = removed + ?, restored = restored + ?, "
        "kept = kept + ?, unsubscribed_kept = unsubscribed_kept + ?, "
        "unsubscribed_again = unsubscribed_again + ?, resubscribed = resubscribed + ?, rows = rows - ?, "
        "place_row = ?, place = ?, made = ?, status = 'running', started_at = coalesce(started_at, ?) "
        "WHERE site_id = ? AND id = ?",
        (*more, at, site_id, undo_id),
    )


def end(site_id: int, undo_id: int, status: str, at: int) -> None:
    UNDOS.change({"status": status, "finished_at": at}, site_id=site_id, id=undo_id)


def retry(site_id: int, undo_id: int) -> None:
    """Queues an undo again, from where it stopped, if it has failed."""
    queued = rows(
        "UPDATE undos SET status = 'queued', finished_at = NULL "
        "WHERE site_id = ? AND id = ? AND status = 'failed' RETURNING turn",
        (site_id, undo_id),
    )
    for (number,) in queued:
        jobs.add(site_id, JOB, undo_id, number)


def put_outcomes(site_id: int, undo_id: int, outcomes: Iterable[tuple[int, str, str, int]]) -> None:
    """Stores outcomes, given as (subscriber id, outcome, source, source id). Replaces earlier ones."""
    execute_many(
        insert_into("undo_people", OUTCOME_COLUMNS, OUTCOME_CHANGED),
        [(site_id, undo_id, *outcome) for outcome in sorted(outcomes)],
    )


def outcomes(site_id: int, undo_id: int, ids: Collection[int]) -> dict[int, tuple[str, str, int]]:
    """The (outcome, source, source id) by subscriber id, of those among `ids` that have an outcome."""
    records = rows(
        "SELECT subscriber_id, outcome, source, source_id FROM undo_people "
        f"WHERE site_id = ? AND undo_id = ? AND subscriber_id IN ({engine.IDS})",
        (site_id, undo_id, json.dumps(list(ids))),
    )
    return {record[0]: (record[1], record[2], record[3]) for record in records}


def put_read(site_id: int, undo_id: int, reached: tuple[int, int, int]) -> None:
    """Stores how far later mentions of subscribers were read: the ids of a row of the change log, a batch and
    a chunk.
    """
    row_id, batch_id, chunk_id = reached
    read = {"read_row": row_id, "read_batch": batch_id, "read_piece": chunk_id}
    UNDOS.change(read, site_id=site_id, id=undo_id)


def list_kept(site_id: int, undo_id: int, subscriber_id: int, limit: int) -> list[KeptSubscriber]:
    """The next `limit` subscribers after an id whom an undo left as changed. Erased ones are left out."""
    records = rows(
        "SELECT p.subscriber_id, s.email, s.uuid, p.source, p.source_id FROM undo_people p "
        "JOIN subscribers s ON s.site_id = p.site_id AND s.id = p.subscriber_id "
        f"WHERE p.site_id = ? AND p.undo_id = ? AND p.outcome = '{KEPT}' AND p.subscriber_id > ? "
        "ORDER BY p.subscriber_id LIMIT ?",
        (site_id, undo_id, subscriber_id, limit),
    )
    return [KeptSubscriber(*record) for record in records]


def count_sources(site_id: int, undo_id: int, outcome: str = KEPT) -> list[tuple[str, int, int]]:
    """The (source, source id, number of subscribers) of an outcome, at most 100, highest number first."""
    return rows(
        "SELECT source, source_id, count(*) FROM undo_people WHERE site_id = ? AND undo_id = ? "
        "AND outcome = ? GROUP BY source, source_id ORDER BY 3 DESC, 1, 2 LIMIT 100",
        (site_id, undo_id, outcome),
    )


def forget(site_id: int, ids: Collection[int]) -> None:
    """Deletes the outcomes of subscribers from all undos of a site."""
    execute(
        "DELETE FROM undo_people WHERE site_id = ? AND undo_id IN (SELECT id FROM undos WHERE site_id = ?) "
        f"AND subscriber_id IN ({engine.IDS})",
        (site_id, site_id, json.dumps(list(ids))),
    )


def ended_before(at: int, site_id: int | None) -> list[tuple[int, int]]:
    """The (site id, undo id) of undos of a site, or of all, that ended before an instant and still have
    outcomes.
    """
    of = rows_of(site_id)
    return rows(
        f"SELECT site_id, id FROM undos WHERE {of.text} AND finished_at < ? AND EXISTS "
        "(SELECT 1 FROM undo_people AS p WHERE p.site_id = undos.site_id AND p.undo_id = undos.id)",
        (*of.parameters, at),
    )


def drop_outcomes(site_id: int, undo_id: int, limit: int) -> int:
    """Deletes up to `limit` outcomes of an undo. Returns how many."""
    return execute(
        "DELETE FROM undo_people WHERE site_id = ? AND undo_id = ? AND subscriber_id IN "
        "(SELECT subscriber_id FROM undo_people WHERE site_id = ? AND undo_id = ? LIMIT ?)",
        (site_id, undo_id, site_id, undo_id, limit),
    )


def additions(undo: Undo) -> Mapping[str, Any]:
    """The `tags` (ids) and `fields` (keys) that the undone action added, as far as the undo has read."""
    added: dict[str, Any] = json.loads(undo.made)
    return added


def created_by(site_id: int, ids: Collection[int], source: tuple[str, int]) -> set[int]:
    """The ids of those subscribers among `ids` that an import or bulk action created."""
    records = rows(
        f"SELECT id FROM subscribers WHERE id IN ({engine.IDS}) AND {engine.OF_SITE} AND created_by = ?",
        (json.dumps(list(ids)), site_id, f"{source[0]} {source[1]}"),
    )
    return {subscriber_id for (subscriber_id,) in records}


def drop_unused_tags(site_id: int, tag_ids: Collection[int]) -> None:
    """Deletes the tags among `tag_ids` that no subscriber has, unless they were renamed or merged into."""
    execute(
        f"DELETE FROM tags WHERE id IN ({engine.IDS}) AND {engine.OF_SITE} AND bearers = 0 "
        "AND id NOT IN (SELECT into_id FROM tag_renames WHERE site_id = ?)",
        (json.dumps(list(tag_ids)), site_id, site_id),
    )
    tags.settle(site_id)


def fields_in_use(site_id: int, keys: Collection[str]) -> set[str]:
    """Those of the custom field keys under which a subscriber has a value. Reads all subscribers.

    A key inside an object counts, too.
    """
    used, waiting = set[str](), sorted(keys)
    while chunk := waiting[:FIELDS_AT_ONCE]:
        del waiting[:FIELDS_AT_ONCE]
        has = ", ".join(["max(CASE WHEN replace(fields, ?, '') <> fields THEN 1 ELSE 0 END)"] * len(chunk))
        spelt = [f"{json.dumps(key, ensure_ascii=False)}:" for key in chunk]
        counts = row(f"SELECT {has} FROM subscribers WHERE site_id = ?", (*spelt, site_id))
        used.update(key for key, count in zip(chunk, counts, strict=True) if count)
    return used


def drop_unused_fields(site_id: int, keys: Iterable[str]) -> None:
    """Deletes the custom fields with these keys of which no subscriber has a value."""
    unused = [key for key in keys if not field_values.holders(site_id, key)]
    execute_many(
        "DELETE FROM custom_fields WHERE site_id = ? AND key = ?", [(site_id, key) for key in unused]
    )
