"""The inbox: accepted imports, and their batches. Instants are in milliseconds."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from peewee import BigIntegerField, ForeignKeyField, TextField

from storage import jobs
from storage.base_models import SiteOwnedModel, add_partial_index
from storage.database import execute, row, rows, value
from storage.records import Records
from storage.sql import rows_of

JOB = "import"  # the kind of its job
WAITING = "status IN ('queued', 'running')"  # the condition of partial indexes
NOT_UNDONE = (
    "NOT EXISTS (SELECT 1 FROM undos AS u "
    "WHERE u.site_id = {0}.site_id AND u.source = 'import' AND u.source_id = {0}.id)"
)


class Import(NamedTuple):
    """An import. `applied` of the accepted `rows` are written; `refused` rows are not among them.
    `unsubscribed` counts rows that unsubscribed a subscriber, `stay_unsubscribed` rows of subscribers who had
    unsubscribed before.

    `unsubscribes_ignored` and `subscribes_ignored` count consent events that a later event outweighs.
    """

    id: int
    status: str
    rows: int
    created_at: int
    started_at: int | None = None
    finished_at: int | None = None
    applied: int = 0
    refused: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    suppressed: int = 0
    unsubscribed: int = 0
    stay_unsubscribed: int = 0
    unsubscribes_ignored: int = 0
    subscribes_ignored: int = 0


class ImportModel(SiteOwnedModel, table="imports", record=Import):
    """`turn`, the acceptance number, is the import's position in the queue.

    Only imports of files have `columns` (JSON) and, if they can be resumed, a `source` that identifies the
    file.
    """

    receiving_until = BigIntegerField(default=0)
    turn = BigIntegerField(null=True)
    accepted_at = BigIntegerField(null=True)
    source = TextField(null=True)
    columns = TextField(null=True)

    class Meta:
        indexes = (
            (("site", "id"), False),  # the newest of a site
            (("site", "created_at"), False),  # the report on imports
        )


_imports: Any = ImportModel
# The next in the queue; unfinished files.
add_partial_index("imports_waiting", _imports.site, _imports.turn,
    where=_imports.status.in_(("queued", "running")))  # fmt: skip
add_partial_index("imports_receiving", _imports.receiving_until, where=_imports.status == "receiving")


class RunningImport(NamedTuple):
    """An import that is being applied: `applied` of its `rows` are written.

    `number` and `at`, in milliseconds, are those of its acceptance.
    """

    id: int
    rows: int
    applied: int
    number: int
    at: int


class FailedImport(NamedTuple):
    """A failed import. The batches that were not applied are kept."""

    id: int
    site_uuid: str
    rows: int
    applied: int
    finished_at: int


class ImportBacklog(NamedTuple):
    """The number of unfinished imports and of their unwritten rows; when the oldest queued one was
    created.
    """

    imports: int
    rows: int
    oldest_at: int | None


class ImportBatch(NamedTuple):
    """A batch of an import: its rows from `first_row` on. `payload` is a JSON array."""

    id: int
    first_row: int
    payload: str


class ImportBatchModel(SiteOwnedModel, table="import_batches", record=ImportBatch):
    parent = ForeignKeyField(ImportModel, column_name="import_id", on_delete="CASCADE")

    class Meta:
        indexes = ((("site", "parent", "first_row"), True),)  # the batch of a row


IMPORTS, BATCHES = Records(ImportModel, Import), Records(ImportBatchModel, ImportBatch)
has_batch = BATCHES.has


def list_failed(site_id: int | None) -> list[FailedImport]:
    """The failed imports of a site, or of all, that are not undone, oldest first."""
    of = rows_of(site_id, "i.")
    records = rows(
        "SELECT i.id, s.uuid, i.rows, i.applied, i.finished_at FROM imports i "
        "JOIN sites s ON s.id = i.site_id "
        f"WHERE {of.text} AND i.status = 'failed' AND {NOT_UNDONE.format('i')} ORDER BY i.id",
        of.parameters,
    )
    return [FailedImport(*record) for record in records]


def waiting(site_id: int | None) -> ImportBacklog:
    """The unfinished imports of a site, or of all."""
    of = rows_of(site_id)
    return ImportBacklog(
        *row(
            "SELECT COUNT(*), CAST(COALESCE(SUM(rows - applied), 0) AS bigint), "
            "MIN(CASE status WHEN 'queued' THEN created_at END) FROM imports "
            f"WHERE {of.text} AND {WAITING}",
            of.parameters,
        )
    )


def site_of_failed(import_id: int) -> int | None:
    """The id of the site of a failed import; None if it has not failed."""
    return value("SELECT site_id FROM imports WHERE id = ? AND status = 'failed'", (import_id,), None)


def retry(site_id: int, import_id: int) -> bool:
    """Queues a failed import again. Returns False if it has not failed, or is undone."""
    queued = rows(
        "UPDATE imports SET status = 'queued', finished_at = NULL WHERE site_id = ? AND id = ? "
        f"AND status = 'failed' AND {NOT_UNDONE.format('imports')} RETURNING turn",
        (site_id, import_id),
    )
    for (number,) in queued:
        jobs.add(site_id, JOB, import_id, number)
    return bool(queued)


def add(site_id: int, accepted: int, refused: int, at: int, number: int) -> int:
    """Adds an import with its acceptance number, the site's newest. Returns its id.

    The caller adds the batches and the job.
    """
    return IMPORTS.add(
        site=site_id, status="queued", rows=accepted, refused=refused, created_at=at, accepted_at=at,
        turn=number,
    )  # fmt: skip


def add_batch(site_id: int, import_id: int, first_row: int, payload: str) -> None:
    execute(  # as text: each request that adds subscribers waits for it
        "INSERT INTO import_batches (site_id, import_id, first_row, payload) VALUES (?, ?, ?, ?)",
        (site_id, import_id, first_row, payload),
    )


def batch(site_id: int, import_id: int, row_number: int) -> ImportBatch:
    """The batch of an import that contains the row with this number."""
    newest = "AND first_row <= ? ORDER BY first_row DESC LIMIT 1"
    return BATCHES.find(newest, row_number, site_id=site_id, import_id=import_id)[0]


def waiting_batches(site_id: int) -> Iterator[tuple[int, str]]:
    """Yields the (id, payload) of a site's batches that are not applied yet."""
    after = 0
    while batches := BATCHES.find("AND id > ? ORDER BY id LIMIT 1", after, site_id=site_id):
        after = batches[0].id
        yield after, batches[0].payload


def accepted_batches(site_id: int) -> Iterator[tuple[int, str, int, int]]:
    """Yields the (id, payload, number, instant) of each batch that is not applied yet.

    Number and instant, in milliseconds, are those of the import's acceptance. Imports that are still being
    received are left out.
    """
    after = 0
    while record := row(
        "SELECT b.id, b.payload, i.turn, i.accepted_at FROM import_batches b "
        "JOIN imports i ON i.site_id = b.site_id AND i.id = b.import_id "
        "WHERE b.site_id = ? AND b.id > ? AND i.status <> 'receiving' ORDER BY b.id LIMIT 1",
        (site_id, after),
    ):
        after, payload, number, at = record
        yield after, payload, number, at


def batch_after(site_id: int, batch_id: int, except_import_id: int) -> tuple[int, int, str] | None:
    """The (id, import id, payload) of the next unapplied batch after `batch_id`; None if no batch follows.

    Batches of the import `except_import_id`, and of imports with an undo, are left out.
    """
    record = row(
        "SELECT id, import_id, payload FROM import_batches AS b WHERE site_id = ? AND id > ? "
        "AND import_id <> ? AND NOT EXISTS (SELECT 1 FROM undos AS u WHERE u.site_id = b.site_id "
        "AND u.source = 'import' AND u.source_id = b.import_id) ORDER BY id LIMIT 1",
        (site_id, batch_id, except_import_id),
    )
    return record and (record[0], record[1], record[2])


def payload(site_id: int, batch_id: int) -> str | None:
    """The payload of a batch: its rows as text. None once the batch is applied."""
    waiting = BATCHES.get(site_id=site_id, id=batch_id)
    return waiting and waiting.payload


def rewrite_batch(site_id: int, batch_id: int, payload: str) -> None:
    BATCHES.change({"payload": payload}, site_id=site_id, id=batch_id)


def drop_batch(site_id: int, batch_id: int) -> None:
    execute("DELETE FROM import_batches WHERE site_id = ? AND id = ?", (site_id, batch_id))  # as `add_batch`


def get(site_id: int, import_id: int) -> Import | None:
    return IMPORTS.get(site_id=site_id, id=import_id)


def newest(site_id: int, limit: int, before: int = 2**62) -> list[Import]:
    """The newest imports with an id below `before`."""
    return IMPORTS.find("AND id < ? ORDER BY id DESC LIMIT ?", before, limit, site_id=site_id)


def applying(site_id: int, import_id: int) -> RunningImport | None:
    """The import to apply; None if it does not exist."""
    query = "SELECT id, rows, applied, turn, accepted_at FROM imports WHERE site_id = ? AND id = ?"
    record = row(query, (site_id, import_id))
    return record and RunningImport(*record)


def advance(site_id: int, import_id: int, counts: tuple[int, ...], at: int) -> None:
    """Adds `counts` to those of an import, in the order of its columns from `applied` to
    `subscribes_ignored`.

    Marks it as running.
    """
    execute(
        "UPDATE imports SET applied = applied + ?, created = created + ?, updated = updated + ?, "
        "unchanged = unchanged + ?, suppressed = suppressed + ?, unsubscribed = unsubscribed + ?, "
        "stay_unsubscribed = stay_unsubscribed + ?, unsubscribes_ignored = unsubscribes_ignored + ?, "
        "subscribes_ignored = subscribes_ignored + ?, status = 'running', "
        "started_at = coalesce(started_at, ?) WHERE site_id = ? AND id = ?",
        (*counts, at, site_id, import_id),
    )


def finish(site_id: int, import_id: int, at: int) -> Import:
    """Marks an import as finished. Its rows must all be applied."""
    return _end(site_id, import_id, "finished", at)


def fail(site_id: int, import_id: int, at: int) -> Import:
    """Marks an import as failed; its remaining batches are kept."""
    return _end(site_id, import_id, "failed", at)


def stop(site_id: int, import_id: int, at: int) -> bool:
    """Marks an unfinished import as failed, and deletes its job. Returns False if it had ended.

    The caller then deletes its remaining batches.
    """
    jobs.remove(site_id, JOB, import_id)
    stopped = execute(
        "UPDATE imports SET status = 'failed', finished_at = ? "
        "WHERE site_id = ? AND id = ? AND status IN ('receiving', 'queued', 'running')",
        (at, site_id, import_id),
    )
    return bool(stopped)


def drop_batches(site_id: int, import_id: int, limit: int) -> int:
    """Deletes up to `limit` unapplied batches of an import. Returns how many."""
    return execute(
        "DELETE FROM import_batches WHERE site_id = ? AND id IN "
        "(SELECT id FROM import_batches WHERE site_id = ? AND import_id = ? LIMIT ?)",
        (site_id, site_id, import_id, limit),
    )


def site_uuid(import_id: int) -> str | None:
    """The uuid of the site of an import; None without such an import."""
    query = "SELECT s.uuid FROM imports i JOIN sites s ON s.id = i.site_id WHERE i.id = ?"
    return value(query, (import_id,), None)


def _end(site_id: int, import_id: int, status: str, at: int) -> Import:
    """Gives an import its final status. Returns the import."""
    [ended] = rows(
        "UPDATE imports SET status = ?, finished_at = ? WHERE site_id = ? AND id = ? "
        f"RETURNING {IMPORTS.columns}",
        (status, at, site_id, import_id),
    )
    return Import(*ended)
