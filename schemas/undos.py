"""The request schema that undoes an import, and the undo resource (docs/contract.md, Undo)."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from schemas.base import RequestSchema, Switch
from schemas.responses import Date, Id, ResponseSchema, constant, dump, integer, shape, single

STATUSES = ("queued", "running", "finished", "failed")
COUNTS = ("removed", "restored", "kept", "unsubscribed_kept", "unsubscribed_again", "resubscribed")


class UndoImport(RequestSchema):
    dry_run = Switch(metadata={"description": "With `1`, only count what would be done."})
    resubscribe = Switch(
        load_default=False,
        metadata={"description": "With `1`, only those whom the import unsubscribed are subscribed again."},
    )


class UndoAttributes(ResponseSchema):
    status = ma.fields.String(
        validate=ma.validate.OneOf(STATUSES),
        allow_none=True,
        metadata={"description": "How far it is; null for a dry run."},
    )
    total = integer("People whom the import created or changed.")
    processed = integer("How many of them are done.")
    removed = integer("Created by the import and not mentioned since: removed.")
    restored = integer("Changed by the import: as they were before.")
    kept = integer("Something of the import stays: changed, mentioned, unsubscribed or erased since.")
    unsubscribed_kept = integer("Unsubscribed by the import, and stay unsubscribed.")
    unsubscribed_again = integer(
        "Subscribed again by the import: unsubscribed again, with their former date."
    )
    resubscribed = integer("Unsubscribed by the import, and by nothing else: subscribed again.")
    created_at = Date(allow_none=True)
    finished_at = Date(allow_none=True)


UndoSchema = shape(
    "Undo", id=Id(allow_none=True), type=constant("undos"), attributes=ma.fields.Nested(UndoAttributes)
)
UndoAnswer = single("UndoAnswer", UndoSchema)


def answer(undo: Any) -> dict[str, Any]:
    return {"data": dump("undos", UndoAttributes, undo, total=undo.rows, processed=undo.applied)}


def dry_run(counts: Mapping[str, int]) -> dict[str, Any]:
    """The result of an undo's dry run, in the form of the undo resource."""
    total = sum(counts[name] for name in ("removed", "restored", "kept"))
    none = {"status": None, "total": total, "processed": 0, "created_at": None, "finished_at": None}
    attributes = none | {name: counts[name] for name in COUNTS}
    return {"data": {"id": None, "type": "undos", "attributes": attributes}}
