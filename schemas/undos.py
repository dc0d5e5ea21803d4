"""The request schema that undoes an import, and the undo resource (docs/contract.md, Undo)."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from schemas.base import RequestSchema, Switch, describe
from schemas.responses import Date, Id, ResponseSchema, constant, dump, integer, shape, single, string

STATUSES = ("queued", "running", "finished", "failed")
COUNTS = ("removed", "restored", "kept", "unsubscribed_kept", "unsubscribed_again", "resubscribed")


class UndoImport(RequestSchema):
    dry_run = Switch(**describe("With `1`, the service only counts what the undo would do."))
    resubscribe = Switch(
        load_default=False,
        **describe("With `1`, subscribers that only the import unsubscribed are subscribed again."),
    )


class UndoAttributes(ResponseSchema):
    status = string(
        "The progress of the undo; null for a dry run.", validate=ma.validate.OneOf(STATUSES), allow_none=True
    )
    total = integer("Subscribers that the import created or changed.")
    processed = integer("How many of these subscribers are done.")
    removed = integer("Deleted subscribers: the import created them, and nothing has mentioned them since.")
    restored = integer("Restored subscribers: the import changed them, and they are as before.")
    kept = integer(
        "Subscribers restored only in part, because they were changed, mentioned, unsubscribed or erased "
        "since."
    )
    unsubscribed_kept = integer("Subscribers that the import unsubscribed, and that stay unsubscribed.")
    unsubscribed_again = integer(
        "Subscribers that the import subscribed again, and that are unsubscribed again, with their former "
        "date."
    )
    resubscribed = integer("Subscribers that only the import unsubscribed, and that are subscribed again.")
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
