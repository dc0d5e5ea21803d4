"""What a client sent: the JSON body, the query string, the site named in either (contract section 1)."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from flask import request
from werkzeug.datastructures import MultiDict

from audience.api.wiring import settings
from audience.errors import NotJson, NotUnderstood, TooLarge
from schemas.files import KINDS
from schemas.wire import DEEPEST, dashed, depth

PIECE = 64 * 1024
SUBSCRIPT = re.compile(r"([^\[\]]+)\[([^\[\]]*)\]")
SITE = "site_uuid"
APPENDED_SITE = f"?{SITE}="

TOO_LARGE = "The body is too large: split it into several requests."
FILE = "Send the file as it is, with the Content-Type text/csv or application/x-ndjson."
FORM = "Send the body as JSON, not as a form."
JSON = "The body is not JSON: send one JSON object, in UTF-8."
OBJECT = "The body is not an object: send one JSON object."
DEEP = f"The body is nested too deep: send at most {DEEPEST} levels."
INCOMPLETE = "The body did not arrive whole: send it again."
SITES = "The request names several sites: send one site_uuid, or the same one everywhere."


def read_json() -> dict[str, Any]:
    """The body as an object; an empty one, `null` and `[]` are `{}`."""
    raw = _read(settings().max_body_bytes)
    if raw and request.mimetype.startswith(("application/x-www-form-urlencoded", "multipart/")):
        raise NotJson(FORM)
    if not raw.strip():
        return {}
    body = _parse(raw)
    if body is None or body == []:
        return {}
    if not isinstance(body, dict):
        raise NotUnderstood(OBJECT)
    return body


def _read(limit: int) -> bytes:
    return b"".join(pieces(limit))


def check_file() -> dict[str, Any]:
    """Of a file, before it is read: its type, and its length where it is declared. It names no site."""
    if request.mimetype not in KINDS:
        raise NotJson(FILE)
    _declared(settings().import_max_bytes)
    return {}


def pieces(limit: int) -> Iterator[bytes]:
    """The body as it comes, counted, chunked or not."""
    expected = _declared(limit)
    if expected is None and not request.environ.get("wsgi.input_terminated"):
        return
    stream, left = request.environ["wsgi.input"], limit + 1 if expected is None else expected
    try:
        while left > 0 and (piece := stream.read(min(left, PIECE))):
            yield piece
            left -= len(piece)
    except (TimeoutError, ConnectionError, OSError) as error:
        raise NotUnderstood(INCOMPLETE) from error
    if expected is None and left <= 0:
        raise TooLarge(TOO_LARGE)
    if expected is not None and left > 0:
        raise NotUnderstood(INCOMPLETE)


def _declared(limit: int) -> int | None:
    expected = request.content_length
    if expected is not None and expected > limit:
        raise TooLarge(TOO_LARGE)
    return expected


def _parse(raw: bytes) -> Any:
    try:
        body = json.loads(raw.decode("utf-8-sig"))
    except RecursionError as error:
        raise NotUnderstood(DEEP) from error
    except ValueError as error:
        raise NotUnderstood(JSON) from error
    if depth(body) > DEEPEST:
        raise NotUnderstood(DEEP)
    return body


def read_query() -> tuple[dict[str, Any], list[str]]:
    """The query's values, `a[b]=` and `a[]=` nested; and the site uuids that it names.

    One client appends `?site_uuid=...` to another value: it is cut off there.
    """
    values: dict[str, Any] = {}
    found: list[str] = []
    arguments: MultiDict[str, str] = request.args
    for key, text in arguments.items(multi=True):
        value, _, appended = text.partition(APPENDED_SITE)
        found += [each for each in (appended, value if key == SITE else "") if each]
        if key != SITE:
            _nest(values, key, value)
    return values, found


def _nest(values: dict[str, Any], key: str, value: str) -> None:
    match = SUBSCRIPT.fullmatch(key)
    if match is None:
        values[key] = value or values.get(key, "")
        return
    if not value:
        return
    name, inner = match.groups()
    if inner:
        nested = values.setdefault(name, {})
        if isinstance(nested, dict):
            nested[inner] = value
    else:
        listed = values.setdefault(name, [])
        if isinstance(listed, list):
            listed.append(value)


def site_uuid(found: list[str], body: Mapping[str, Any]) -> str | None:
    """The one site that a request names, in its query or its body. Raises `NotUnderstood`."""
    in_body = body.get(SITE)
    named = {dashed(each) for each in (*found, *([] if in_body in (None, "") else [str(in_body)]))}
    if len(named) > 1:
        raise NotUnderstood(SITES)
    return named.pop() if named else None
