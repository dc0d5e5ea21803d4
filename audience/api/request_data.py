"""Reads the JSON body, the query string, and the site in either (docs/contract.md, Every request)."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from flask import request
from werkzeug.datastructures import MultiDict

from audience.errors import NotJson, NotUnderstood, TooLarge
from audience.http.services import settings
from schemas.base import MAX_DEPTH, dashed, depth
from schemas.file_imports import KINDS

CHUNK_SIZE = 64 * 1024
SUBSCRIPT = re.compile(r"([^\[\]]+)\[([^\[\]]*)\]")
SITE = "site_uuid"
APPENDED_SITE = f"?{SITE}="

TOO_LARGE = "The body is too large: split it into several requests."
FILE = (
    "Send the file as the body, with the Content-Type text/csv, application/x-ndjson or "
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet."
)
FORM = "Send the body as JSON, not as a form."
JSON = "The body is not JSON: send one JSON object, in UTF-8."
OBJECT = "The body is not an object: send one JSON object."
TOO_DEEP = f"The body is nested too deeply: send at most {MAX_DEPTH} levels."
INCOMPLETE = "The body is incomplete: send it again."
SITES = "The request names several sites: send one site_uuid, or the same one in query and body."


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
    return b"".join(chunks(limit))


def check_file() -> dict[str, Any]:
    """Checks the type and declared length of a file, before the view reads it; returns the query's tags."""
    if request.mimetype not in KINDS:
        raise NotJson(FILE)
    _declared_length(settings().import_max_bytes)
    tags = [tag for key in ("tag", "tag[]") for tag in request.args.getlist(key) if tag]
    return {"tag": tags} if tags else {}


def chunks(limit: int) -> Iterator[bytes]:
    """The body, chunked or not, in pieces. Raises `TooLarge`, or `NotUnderstood` if it is incomplete."""
    expected = _declared_length(limit)
    if expected is None and not request.environ.get("wsgi.input_terminated"):
        return
    stream, left = request.environ["wsgi.input"], limit + 1 if expected is None else expected
    try:
        while left > 0 and (piece := stream.read(min(left, CHUNK_SIZE))):
            yield piece
            left -= len(piece)
    except (TimeoutError, ConnectionError, OSError) as error:
        raise NotUnderstood(INCOMPLETE) from error
    if expected is None and left <= 0:
        raise TooLarge(TOO_LARGE)
    if expected is not None and left > 0:
        raise NotUnderstood(INCOMPLETE)


def _declared_length(limit: int) -> int | None:
    expected = request.content_length
    if expected is not None and expected > limit:
        raise TooLarge(TOO_LARGE)
    return expected


def _parse(raw: bytes) -> Any:
    try:
        body = json.loads(raw.decode("utf-8-sig"))
    except RecursionError as error:
        raise NotUnderstood(TOO_DEEP) from error
    except ValueError as error:
        raise NotUnderstood(JSON) from error
    if depth(body) > MAX_DEPTH:
        raise NotUnderstood(TOO_DEEP)
    return body


def read_query() -> tuple[dict[str, Any], list[str]]:
    """The values of the query, with `a[b]=` and `a[]=` nested, and its site uuids.

    One client appends `?site_uuid=...` to another value, which ends there.
    """
    values: dict[str, Any] = {}
    site_uuids: list[str] = []
    arguments: MultiDict[str, str] = request.args
    for key, text in arguments.items(multi=True):
        value, _, appended = text.partition(APPENDED_SITE)
        site_uuids += filter(None, (appended, value if key == SITE else ""))
        if key != SITE:
            _nest(values, key, value)
    return values, site_uuids


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


def site_uuid(in_query: list[str], body: Mapping[str, Any]) -> str | None:
    """The site uuid in query or body, if any. Raises `NotUnderstood` if there are several."""
    in_body = body.get(SITE)
    uuids = {dashed(text) for text in (*in_query, *([] if in_body in (None, "") else [str(in_body)]))}
    if len(uuids) > 1:
        raise NotUnderstood(SITES)
    return uuids.pop() if uuids else None
