"""The request schema that imports subscribers, and the import resource (docs/contract.md, Imports)."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import (
    MAX_PROBLEMS,
    FormError,
    JsonSchema,
    RequestSchema,
    Text,
    describe,
    errors,
    is_clean_text,
    is_storable_number,
    join_paths,
    load,
)
from schemas.codes import Code, Sentence
from schemas.custom_fields import MAX_KEY_LENGTH, MAX_OF_ONE, PLAIN_KEY, SMALL
from schemas.links import SHORTEST, has_link
from schemas.responses import Date, Id, ResponseSchema, dump, integer, listing, problems, resource, single
from schemas.subscribers import RESERVED, SubscriberInput, plain_uuid
from schemas.tags import MAX_OF_ONE as MOST_TAGS
from schemas.tags import is_short, tag_name
from schemas.values import NAMES, FieldError, trim

MAX_ITEMS = 1_000
MAX_PROBLEMS_PER_ROW = 20
STATUSES = ("receiving", "queued", "running", "finished", "failed")
SUBSCRIBERS = Sentence(
    Code.OUT_OF_RANGE,
    f"Send an array of 1 to {MAX_ITEMS:,} subscribers; split a longer list into several calls.",
)
CONSENT = Sentence(Code.UNKNOWN_CHOICE, "Send subscribe or unsubscribe, or leave the command out.")
COMMANDS = ("subscribe", "unsubscribe")
SCALARS = (bool, int, float)
LEFT = "Rows that unsubscribe somebody, or create somebody unsubscribed."
STAYED = "Rows of people who had already unsubscribed, and stay unsubscribed."


class ImportItem(SubscriberInput):
    command = Text(validate=ma.validate.OneOf(COMMANDS, error=CONSENT))


def plain_item(item: Any) -> dict[str, Any] | None:
    """Validates a plain item as `ImportItem` does, but faster.

    Returns None for any other or invalid item, which `ImportItem` then decides on.
    """
    if type(item) is not dict:
        return None
    row: dict[str, Any] = {}
    further: dict[str, Any] = {}
    for key, value in item.items():
        if value is None:
            continue
        if plain_column := PLAIN_COLUMNS.get(key):
            column = plain_column(value)
            if column is None:
                return None
            if column:
                row[key] = column
        elif key not in RESERVED:
            further[key] = value
        elif not _is_plain(value):
            return None
    values = further | row.pop("fields", {})
    if "email" not in row or len(values) > MAX_OF_ONE or not _need_no_form(values):
        return None
    return row | {"fields": values} if values else row


# Each `_plain_…` returns the value if it needs no form, else None.


def _plain_text(value: Any) -> str | None:
    return value if type(value) is str and is_clean_text(value) and not has_link(value) else None


def _plain_email(value: Any) -> str | None:
    return trim(_plain_text(value) or "") or None


def _plain_command(value: Any) -> str | None:
    return value if type(value) is str and value in COMMANDS else None


def _plain_fields(value: Any) -> dict[str, Any] | None:
    return {name: item for name, item in value.items() if item is not None} if type(value) is dict else None


def _plain_names(value: Any) -> list[str] | None:
    texts = value.split(",") if type(value) is str else value
    if type(texts) is not list or len(texts) > MOST_TAGS:
        return None
    names = []
    for text in texts:
        name = _plain_name(text) if type(text) is str and is_short(text) else None
        if name is None:
            return None
        if name:
            names.append(name)
    return names


PLAIN_COLUMNS: dict[str, Callable[[Any], Any]] = {
    "email": _plain_email, **dict.fromkeys(NAMES, _plain_text), "tags": _plain_names,
    "remove_tags": _plain_names, "fields": _plain_fields, "command": _plain_command, "uuid": plain_uuid,
}  # fmt: skip


@lru_cache(maxsize=1024)
def _plain_name(text: str) -> str | None:
    name = tag_name(text)
    return name if is_clean_text(text) and is_short(name) and not has_link(name) else None


def _need_no_form(values: dict[str, Any]) -> bool:
    for key, value in values.items():
        if len(key) > MAX_KEY_LENGTH or not _is_plain_key(key) or not _is_plain(value):
            return False
    return True


@lru_cache(maxsize=1024)
def _is_plain_key(key: str) -> bool:
    normal = key.isascii() or unicodedata.is_normalized("NFC", key)
    return normal and PLAIN_KEY.fullmatch(key) is not None and key not in NAMES


def _is_plain(value: Any) -> bool:
    if type(value) is str:
        return len(value) <= SMALL and is_clean_text(value) and (len(value) < SHORTEST or not has_link(value))
    return type(value) in SCALARS and is_storable_number(value)


@dataclass
class ImportRows:
    """The result of validating `total` items: (index, item) of each valid one, and `problems` of others."""

    total: int
    items: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    problems: list[FieldError] = field(default_factory=list)


class SubscriberRows(ma.fields.Field[ImportRows]):
    """The subscribers of a request, each validated on its own: an error refuses only that subscriber.

    Plain items are checked in a loop; the form, for the others, is 30 times as slow.
    """

    default_error_messages = {"required": SUBSCRIBERS}  # noqa: RUF012 - marshmallow's own interface
    json_schema: ClassVar[JsonSchema] = {"type": "array", "minItems": 1, "maxItems": MAX_ITEMS}
    item = ImportItem

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> ImportRows:
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_ITEMS:
            raise ma.ValidationError(SUBSCRIBERS)
        rows, form = ImportRows(len(value)), ImportItem()
        for index, row in enumerate(value):
            item = plain_item(row)
            if item is None:
                item = load_row(form, row, f"subscribers[{index}]", rows.problems)
            if item is not None:
                rows.items.append((index, item))
        return rows


def load_row(form: RequestSchema, row: Any, path: str, problems: list[FieldError]) -> dict[str, Any] | None:
    """Validates an item by its form. Returns it, or None if refused.

    Appends the item's first errors to `problems`, each with a path that begins with `path`.
    """
    try:
        item: dict[str, Any] = load(form, row)
    except FormError as error:
        limit = MAX_PROBLEMS_PER_ROW if len(problems) < MAX_PROBLEMS else 1
        problems += [
            FieldError(join_paths(path, problem.field), problem.message) for problem in error.problems[:limit]
        ]
        return None
    return item


class ImportSubscribers(RequestSchema):
    subscribers = SubscriberRows(required=True)


def too_late(what: str) -> ma.fields.Integer:
    words = f"{what} ignored because a later event says otherwise. Absent if there are none."
    return ma.fields.Integer(strict=True, **describe(words, may_be_absent=True))


class Accepted(ResponseSchema):
    result = integer("Number of accepted subscribers.")
    results = integer("The same as `result`.")
    failed = integer("Number of refused subscribers.")
    import_id = Id()
    errors = problems()
    unsubscribes_ignored = too_late("Unsubscribes")
    subscribes_ignored = too_late("Subscribes")


class ImportCounts(ResponseSchema):
    total = integer()
    processed = integer()
    created = integer()
    updated = integer()
    unchanged = integer()
    failed = integer("Refused rows, including suppressed ones.")
    suppressed = integer("Refused rows of erased subscribers.")
    unsubscribed = integer(LEFT)
    stay_unsubscribed = integer(STAYED)
    unsubscribes_ignored = too_late("Unsubscribes")
    subscribes_ignored = too_late("Subscribes")


class ImportAttributes(ImportCounts):
    status = ma.fields.String(validate=ma.validate.OneOf(STATUSES))
    created_at = Date()
    started_at = Date(allow_none=True)
    finished_at = Date(allow_none=True)


ImportSchema = resource("Import", "imports", ImportAttributes)
ImportAnswer = single("ImportAnswer", ImportSchema)
ImportList = listing("ImportList", ImportSchema)


def import_(row: Any) -> dict[str, Any]:
    return dump(
        "imports", ImportAttributes, row, total=row.rows + row.refused, processed=row.applied + row.refused,
        failed=row.refused + row.suppressed,
    )  # fmt: skip


def too_late_counts(counts: Any) -> dict[str, int]:
    """How many consent events a later event outweighed, by key of the answer, without zeros."""
    numbers = {name: getattr(counts, name) for name in ("unsubscribes_ignored", "subscribes_ignored")}
    return {name: number for name, number in numbers.items() if number}


def answer(accepted: Any) -> dict[str, Any]:
    return {
        "result": accepted.accepted,
        "results": accepted.accepted,
        "failed": accepted.refused,
        "import_id": str(accepted.id),
        "errors": errors(accepted.errors),
        **too_late_counts(accepted),
    }
