"""Finds what has mentioned subscribers since an import created them. Such subscribers stay when the import is
undone.

Mentions are in the record of changes, and in accepted imports and bulk actions that still wait. Each is read
once, and reading continues with those that are accepted meanwhile. Of an action that is undone itself, only a
change of consent counts as a mention; the deletion of a custom field is none.
"""

from typing import NamedTuple

from audience.changes.entries import unpack
from audience.imports import payloads as import_payloads
from audience.sources import Source
from storage.bulk import actions as bulk_actions
from storage.changes import source_rows
from storage.imports import imports as stored_imports
from storage.subscribers import batches as subscriber_batches
from storage.subscribers.batches import ID
from storage.undo import undos

ROWS_AT_ONCE = 10  # of the record, with up to 1,000 subscribers each


class ReadPosition(NamedTuple):
    """What was read last: the ids of a row of the record, a batch of an import, a chunk of a bulk action."""

    row: int
    batch: int = 0
    chunk: int = 0


class Mentions(NamedTuple):
    """What mentioned subscribers, by subscriber id; `is_all` if nothing is left to read."""

    by_id: dict[int, Source]
    reached: ReadPosition
    is_all: bool


def read_on(site_id: int, source: Source, reached: ReadPosition) -> Mentions:
    """Reads the mentions after `reached` of the subscribers whom the import `source` created.

    Reads nothing for a bulk action, or an import that created nobody.
    """
    undone = stored_imports.get(site_id, source.id) if source.kind == "import" else None
    if undone is None or not undone.created:
        return Mentions({}, reached, is_all=True)
    by_id: dict[int, Source] = {}
    undone_sources = undos.sources(site_id)
    deletions = {Source("bulk_act", action.id) for action in bulk_actions.field_deletions(site_id)}
    rows = source_rows.rows_after(site_id, reached.row, ROWS_AT_ONCE)
    for row in rows:
        reached, by = reached._replace(row=row.id), Source(row.source, row.source_id)
        if by != source and by.kind != "undo" and by not in deletions:
            entries = unpack(row.entries)
            ids = entries.consent_changed_ids() if by in undone_sources else entries.mentioned_ids()
            by_id |= dict.fromkeys(ids, by)
    chunks = bulk_actions.waiting_chunks(site_id, reached.chunk, ROWS_AT_ONCE)
    for chunk_id, action_id, ids in chunks:
        reached = reached._replace(chunk=chunk_id)
        by_id |= dict.fromkeys(ids, Source("bulk_act", action_id))
    batch = stored_imports.batch_after(site_id, reached.batch, source.id)
    if batch:
        batch_id, import_id, payload = batch
        reached = reached._replace(batch=batch_id)
        keys = {change.key for change in import_payloads.read(payload) if change}
        existing = subscriber_batches.read_existing(site_id, keys).values()
        by_id |= dict.fromkeys((row[ID] for row in existing), Source("import", import_id))
    created = undos.created_by(site_id, by_id, source)
    is_all = batch is None and max(len(rows), len(chunks)) < ROWS_AT_ONCE
    return Mentions({id_: by_id[id_] for id_ in created}, reached, is_all)
