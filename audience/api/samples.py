"""The requests of the examples of the OpenAPI document, and values as several languages write them."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from audience.api.openapi_examples import JSON

LINE, INDENT = 60, "  "


class Request(NamedTuple):
    """`body` is JSON, the text of a file, or None."""

    method: str
    url: str
    body: Any
    body_type: str
    answers_json: bool


class Notation(NamedTuple):
    """How a language writes values.

    `object` has the brackets of an object, `arrow` separates a key from its value, `text` quotes a string.
    `words` has the language's words for JSON's true, false and null.
    """

    object: tuple[str, str]
    arrow: str
    text: Callable[[str], str]
    words: Mapping[str, str]


def json_text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def php_text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


NOTATIONS = {
    "JSON": Notation(("{", "}"), ": ", json_text, {}),
    "PYTHON": Notation(("{", "}"), ": ", json_text, {"true": "True", "false": "False", "null": "None"}),
    "PHP": Notation(("[", "]"), " => ", php_text, {}),
}


def request(server: str, method: str, path: str, example: Mapping[str, Any]) -> Request:
    """The request of an example; `server` is the URL before the path."""
    parts = {name: quote(value) for name, value in example.get("path", {}).items()}
    query = urlencode(flat(example.get("query", {})), doseq=True, safe="@,:")
    return Request(
        method,
        f"{server}{path.format_map(parts)}{'?' if query else ''}{query}",
        example.get("body"),
        example.get("type", JSON),
        "answer_type" not in example,
    )


def flat(query: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a query. An object becomes a parameter for each of its keys, such as `map[Town]`."""
    return {
        name if key is None else f"{name}[{key}]": json.dumps(item) if item is True else item
        for name, value in query.items()
        for key, item in (value.items() if isinstance(value, dict) else [(None, value)])
    }


def literal(value: Any, notation: Notation, margin: str = "") -> str:
    """A value in a notation, in one line if it fits. Each further line begins with `margin`."""
    if isinstance(value, str):
        return notation.text(value)
    if not isinstance(value, dict | list):
        word = json.dumps(value)
        return notation.words.get(word, word)
    inner = margin + INDENT
    if isinstance(value, dict):
        begin, end = notation.object
        parts = [
            f"{notation.text(key)}{notation.arrow}{literal(item, notation, inner)}"
            for key, item in value.items()
        ]
    else:
        begin, end = "[", "]"
        parts = [literal(item, notation, inner) for item in value]
    line = f"{begin}{', '.join(parts)}{end}"
    if len(margin + line) <= LINE and "\n" not in line:
        return line
    separator = f",\n{inner}"
    return f"{begin}\n{inner}{separator.join(parts)}\n{margin}{end}"
