"""Imports on the wire (spec section 4.9, contract section 2)."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import marshmallow as ma

from schemas.shapes import Answer, Date, Id, many, one, problems, resource
from schemas.subscribers import ImportItem, plain_item
from schemas.wire import MOST_PROBLEMS, Form, FormError, Problem, Spelling, date, errors, load

MOST = 1_000
MOST_PROBLEMS_OF_A_ROW = 20
STATUSES = ("receiving", "queued", "running", "finished", "failed")
SUBSCRIBERS = "Send an array of 1 to 1,000 subscribers; split a longer list into several calls."


@dataclass
class Rows:
    """Of the items `given`, the good ones with their index, and what is wrong with the rest."""

    given: int
    items: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class SubscriberRows(ma.fields.Field[Rows]):
    """Each row by itself: a mistake in one refuses that one.

    Rows are checked in a plain loop; only those that need it go through the schema (30 times as slow).
    """

    default_error_messages = {"required": SUBSCRIBERS}  # noqa: RUF012
    spelled: ClassVar[Spelling] = {"type": "array", "minItems": 1, "maxItems": MOST}
    item = ImportItem

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Rows:
        if not isinstance(value, list) or not 1 <= len(value) <= MOST:
            raise ma.ValidationError(SUBSCRIBERS)
        rows, form = Rows(len(value)), ImportItem()
        for index, given in enumerate(value):
            item = plain_item(given)
            if item is None:
                item = load_row(form, given, f"subscribers[{index}]", rows.problems)
            if item is not None:
                rows.items.append((index, item))
        return rows


def load_row(form: Form, given: Any, path: str, problems: list[Problem]) -> dict[str, Any] | None:
    """One row through its form; what is wrong with it goes to `problems`: the first few, at least one."""
    try:
        item: dict[str, Any] = load(form, given)
    except FormError as error:
        most = MOST_PROBLEMS_OF_A_ROW if len(problems) < MOST_PROBLEMS else 1
        problems += [
            Problem(f"{path}.{each.field}" if each.field else path, each.message)
            for each in error.problems[:most]
        ]
        return None
    return item


class ImportSubscribers(Form):
    example: ClassVar[Any] = {
        "subscribers": [
            {"email": "bob@example.com", "first_name": "Bob", "city": "Oslo"},
            {"email": "cy@example.com", "tags": "vip", "fields": {"plan": "pro"}},
        ]
    }

    subscribers = SubscriberRows(required=True)


class Accepted(Answer):
    result = ma.fields.Integer(strict=True, metadata={"description": "How many were accepted."})
    results = ma.fields.Integer(strict=True, metadata={"description": "The same."})
    failed = ma.fields.Integer(strict=True, metadata={"description": "How many were refused."})
    import_id = Id()
    errors = problems()


class ImportAttributes(Answer):
    status = ma.fields.String(validate=ma.validate.OneOf(STATUSES))
    total = ma.fields.Integer(strict=True)
    processed = ma.fields.Integer(strict=True)
    created = ma.fields.Integer(strict=True)
    updated = ma.fields.Integer(strict=True)
    unchanged = ma.fields.Integer(strict=True)
    failed = ma.fields.Integer(strict=True, metadata={"description": "Refused, suppressed ones included."})
    suppressed = ma.fields.Integer(strict=True, metadata={"description": "Refused: the person was erased."})
    created_at = Date()
    started_at = Date(allow_none=True)
    finished_at = Date(allow_none=True)


Import = resource("Import", "imports", ImportAttributes)
ImportAnswer = one("ImportAnswer", Import)
ImportList = many("ImportList", Import)


def import_(row: Any) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "type": "imports",
        "attributes": {
            "status": row.status,
            "total": row.rows + row.refused,
            "processed": row.applied + row.refused,
            "created": row.created,
            "updated": row.updated,
            "unchanged": row.unchanged,
            "failed": row.refused + row.suppressed,
            "suppressed": row.suppressed,
            "created_at": date(row.created_at),
            "started_at": date(row.started_at),
            "finished_at": date(row.finished_at),
        },
    }


def answer(accepted: Any) -> dict[str, Any]:
    return {
        "result": accepted.accepted,
        "results": accepted.accepted,
        "failed": accepted.refused,
        "import_id": str(accepted.id),
        "errors": errors(accepted.errors),
    }
