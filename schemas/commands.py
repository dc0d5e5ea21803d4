"""The request schema that runs commands (docs/contract.md, Commands)."""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import marshmallow as ma

from schemas.base import (
    REQUIRED,
    TWICE,
    Doubled,
    JsonSchema,
    RequestSchema,
    Text,
    Uuid,
    as_text,
    clean,
    describe,
    nested,
)
from schemas.codes import Code, Sentence
from schemas.command_names import CommandName
from schemas.custom_fields import custom_value, field_key
from schemas.imports import too_late
from schemas.responses import integer, problems, single
from schemas.subscribers import SubscriberSchema, names_in
from schemas.tags import TagName
from schemas.values import trim

MAX_COMMANDS = 100
COMMANDS = Sentence(Code.OUT_OF_RANGE, f"Send a command object, or an array of 1 to {MAX_COMMANDS} of them.")
TARGET = Sentence(Code.REQUIRED, "Send the email or the uuid of the subscriber.")
FIELD = Sentence(Code.MALFORMED_VALUE, 'Send {"key": ..., "value": ...}, or text such as key=value.')
ASSIGNMENT = re.compile(r"([^=:]*)(?:[=:](.*))?", re.DOTALL)


def tag(query: Any) -> str:
    return str(TagName(blank=False).deserialize(query))


def address(query: Any) -> str:
    """The address in a command's query, perhaps malformed. Raises `ma.ValidationError` if it is blank."""
    text = trim(as_text(query))
    if not text:
        raise ma.ValidationError(REQUIRED)
    return text


def field_value(query: Any) -> dict[str, Any]:
    """The change of a field that a query asks for.

    It is `{"fields": {key: value}}`, or `{column: text}` if the key names a text column such as `first_name`.
    It is `{}` if the value is `null`. Raises `ma.ValidationError`.
    """
    if isinstance(query, Mapping):
        if query.get("key") is None:
            raise ma.ValidationError(FIELD)
        key, value = as_text(query["key"]), query.get("value")
    else:
        match = ASSIGNMENT.fullmatch(as_text(query))
        key, value = (match[1], match[2] or "") if match else ("", "")
    values = {field_key(key): custom_value(value)}
    if value is None:
        return {}
    names = names_in(values)
    return names | ({"fields": values} if values else {})


def field_key_in(query: Any) -> str:
    return field_key(as_text(query))


def ignore_query(query: Any) -> None:
    clean(query)


# The reader of each command's query; only commands that ignore their query may leave it out.
QUERIES: dict[str, Callable[[Any], Any]] = {
    CommandName.ADD_TAG: tag,
    CommandName.ADD_TAG_VIA_EVENT: tag,
    CommandName.REMOVE_TAG: tag,
    CommandName.ADD_FIELD: field_value,
    CommandName.REMOVE_FIELD: field_key_in,
    CommandName.SUBSCRIBE: ignore_query,
    CommandName.UNSUBSCRIBE: ignore_query,
    CommandName.CHANGE_EMAIL: address,
}
COMMAND = Sentence(Code.UNKNOWN_CHOICE, f"Send one of the commands {', '.join(QUERIES)}.")


class Query(ma.fields.Raw):
    json_schema: ClassVar[JsonSchema] = {
        "description": "What the command needs: a tag, an address, a key, or a key with its value.",
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "title": "KeyWithValue",
                "properties": {
                    "key": {"type": "string"},
                    "value": {"$ref": "#/components/schemas/CustomValue"},
                },
                "required": ["key"],
            },
        ],
    }


class SubscriberCommand(RequestSchema):
    command = Text(required=True, strip=True, validate=ma.validate.OneOf(QUERIES, error=COMMAND))
    email = Text(strip=True)
    uuid = Uuid()
    query = Query()

    def refuse_doubled(self, data: Doubled) -> None:
        """Does nothing: a command in which a key occurs twice is refused when it is run, and the other
        commands are not.
        """

    @ma.post_load(pass_original=True)
    def read_query(self, data: dict[str, Any], original: Any, **_: Any) -> dict[str, Any]:
        if not data.get("email") and not data.get("uuid"):
            raise ma.ValidationError(TARGET, "email")
        read = QUERIES[data["command"]]
        if "query" not in data and read is not ignore_query:
            raise ma.ValidationError(REQUIRED, "query")
        try:
            values = {key: value for key, value in data.items() if value} | {"query": read(data.get("query"))}
            return values | {"refused": TWICE} if isinstance(original, Doubled) else values
        except ma.ValidationError as error:
            raise ma.ValidationError(error.messages, "query") from error


class CommandList(ma.fields.List[dict[str, Any]]):
    """A list of commands. Its length is checked first, because a body may hold millions."""

    def _deserialize(self, value: Any, *arguments: Any, **options: Any) -> list[Any]:
        if isinstance(value, list) and len(value) > MAX_COMMANDS:
            raise ma.ValidationError(COMMANDS)
        return super()._deserialize(value, *arguments, **options)


class RunCommands(RequestSchema):
    command = CommandList(
        nested(SubscriberCommand),
        required=True,
        validate=ma.validate.Length(1, MAX_COMMANDS, error=COMMANDS),
        error_messages={"required": COMMANDS, "invalid": COMMANDS},
        **describe("Run in order; a single command object may replace the array."),
    )

    @ma.pre_load
    def wrap_single(self, data: Any, **_: Any) -> Any:
        if isinstance(data, Mapping) and isinstance(data.get("command"), Mapping):
            return dict(data) | {"command": [data["command"]]}
        return data


Ran = single(
    "Ran",
    SubscriberSchema,
    or_null=True,
    results=integer("Number of commands that succeeded."),
    failed=integer("Number of commands that failed."),
    errors=problems(),
    unsubscribes_ignored=too_late("Unsubscribes"),
    subscribes_ignored=too_late("Subscribes"),
)
