"""Commands on the wire (spec section 4.13, contract section 2)."""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import marshmallow as ma

from schemas.custom_fields import field_key
from schemas.shapes import one, problems
from schemas.subscribers import Subscriber, names_in
from schemas.wire import REQUIRED, Form, Text, Uuid, as_text, clean

MOST = 100
COMMANDS = "Send a command object, or an array of 1 to 100 of them."
TARGET = "Send the email or the uuid of the person."
FIELD = 'Send {"key": ..., "value": ...}, or text such as key=value.'
ASSIGNMENT = re.compile(r"([^=:]*)(?:[=:](.*))?", re.DOTALL)


def name(query: Any) -> str:
    """A tag, or an address."""
    text = as_text(query).strip()
    if not text:
        raise ma.ValidationError(REQUIRED)
    return text


def field_value(query: Any) -> dict[str, Any]:
    """What a custom value, or one of the two names, becomes."""
    if isinstance(query, Mapping):
        if query.get("key") is None:
            raise ma.ValidationError(FIELD)
        value = query.get("value")
        key, value = as_text(query["key"]), "" if value is None else value
    else:
        match = ASSIGNMENT.fullmatch(as_text(query))
        key, value = (match[1], match[2] or "") if match else ("", "")
    values = {field_key(key): clean(value)}
    names = names_in(values)
    return names | ({"fields": values} if values else {})


def key_of(query: Any) -> str:
    return field_key(as_text(query))


def ignored(_: Any) -> None:
    return None


# Every command, and what it makes of its query; only those that ignore it do without one.
QUERIES: dict[str, Callable[[Any], Any]] = {
    "add_tag": name,
    "add_tag_via_event": name,
    "remove_tag": name,
    "add_field": field_value,
    "remove_field": key_of,
    "subscribe": ignored,
    "unsubscribe": ignored,
    "change_email": name,
}
COMMAND = f"Send one of the commands {', '.join(QUERIES)}."


class Command(Form):
    command = Text(required=True, strip=True, validate=ma.validate.OneOf(QUERIES, error=COMMAND))
    email = Text(strip=True)
    uuid = Uuid()
    query = ma.fields.Raw(
        metadata={
            "description": "What it is about: a tag, an address, a field; which, depends on the command."
        }
    )

    @ma.post_load
    def read_query(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        if not data.get("email") and not data.get("uuid"):
            raise ma.ValidationError(TARGET, "email")
        read = QUERIES[data["command"]]
        if "query" not in data and read is not ignored:
            raise ma.ValidationError(REQUIRED, "query")
        try:
            return {key: value for key, value in data.items() if value} | {"query": read(data.get("query"))}
        except ma.ValidationError as error:
            raise ma.ValidationError(error.messages, "query") from error


class CommandList(ma.fields.List[dict[str, Any]]):
    """Counted before its elements are read: a body holds millions of them."""

    def _deserialize(self, value: Any, *arguments: Any, **options: Any) -> list[Any]:
        if isinstance(value, list) and len(value) > MOST:
            raise ma.ValidationError(COMMANDS)
        return super()._deserialize(value, *arguments, **options)


class RunCommands(Form):
    example: ClassVar[Any] = {
        "command": [
            {"command": "add_tag", "email": "ann@example.com", "query": "vip"},
            {"command": "add_field", "email": "ann@example.com", "query": {"key": "plan", "value": "pro"}},
        ]
    }

    command = CommandList(
        ma.fields.Nested(Command),
        required=True,
        validate=ma.validate.Length(1, MOST, error=COMMANDS),
        error_messages={"required": COMMANDS, "invalid": COMMANDS},
        metadata={"description": "In order; one command object alone may stand in place of the array."},
    )

    @ma.pre_load
    def one_is_a_list(self, data: Any, **_: Any) -> Any:
        if isinstance(data, Mapping) and isinstance(data.get("command"), Mapping):
            return dict(data) | {"command": [data["command"]]}
        return data


Ran = one(
    "Ran",
    Subscriber,
    or_null=True,
    results=ma.fields.Integer(strict=True, metadata={"description": "How many commands succeeded."}),
    failed=ma.fields.Integer(strict=True, metadata={"description": "How many could not be done."}),
    errors=problems(),
)
