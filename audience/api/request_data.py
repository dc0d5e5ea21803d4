"""Reads the JSON body, the query string, and the site from either (docs/contract.md, Every request)."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from threading import Lock
from typing import Any, BinaryIO
from urllib.parse import unquote

from flask import request

from audience.api import json_bounds, targets
from audience.errors import Compressed, NotJson, NotUnderstood, Refused, ServiceUnavailable, TooLarge
from audience.http.services import services
from schemas.base import SEVERAL, TWICE, Doubled, Repeated, with_dashes
from schemas.codes import Code, Sentence
from schemas.file_imports import KINDS
from schemas.subscribers import with_lost_plus
from schemas.values import FieldError

LISTS = ("tag", "subscribed", "unsubscribed", "unconfirmed", "ignore_column", "seen")
SUBSCRIPT = re.compile(r"([^\[\]]+)\[(.*)\]", re.DOTALL)
SITE = "site_uuid"
QUOTED = "werkzeug.url_quote"  # what is not UTF-8 stays as it was sent
APPENDED_SITE = f"?{SITE}="
PACKED = frozenset({"gzip", "x-gzip", "deflate", "br", "zstd", "compress"})  # codings of HTTP
FORMS = ("application/x-www-form-urlencoded", "multipart/")

FILE = (
    "Send the file as the body, with the Content-Type text/csv, application/json, application/x-ndjson or "
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet."
)
FILE_AS_FORM = (
    "Send the file with its own Content-Type, such as text/csv: without one, curl says that it is a form. "
    "Send it with --data-binary, since -d removes the line ends."
)
FORM = "Send the body as JSON, with the header Content-Type: application/json; without it, curl sends a form."
JSON = Sentence(Code.BODY_NOT_JSON, "The body is not JSON: send one JSON object, in UTF-8.")
OBJECT = Sentence(Code.BODY_NOT_OBJECT, "The body is not an object: send one JSON object.")
LARGE_BYTES = 2**17
PARSING = Lock()  # for larger bodies: parsed, each takes up to fifteen times its size
WAITING_BYTES = 2**20  # of more than these, few wait for it
PREFER = "Prefer"
PREFERENCE = str.maketrans(";", ",", ' "')
BUSY = Sentence(Code.BUSY, "Too many large bodies at this moment: send the request again in a few seconds.")
SITES = Sentence(
    Code.SEVERAL_SITES,
    "The request names several sites: send one site_uuid, or the same one in query and body.",
)
SITES_IN_BODY = Sentence(Code.REPEATED_KEY, SITES)


def has_body() -> bool:
    """Whether the request announces a body."""
    environ = request.environ
    return environ.get("CONTENT_LENGTH", "0") not in ("0", "") or "HTTP_TRANSFER_ENCODING" in environ


def prefers_strict() -> bool:
    """Whether the client asks to refuse unknown parameters: `Prefer: handling=strict` (RFC 7240)."""
    preferences = request.environ.get("HTTP_PREFER", "").lower().translate(PREFERENCE).split(",")
    return "handling=strict" in preferences


def check_json(max_bytes: int) -> None:
    """Checks the declared length and the type of a JSON body. Raises `TooLarge`, `NotJson`."""
    _check_length(max_bytes)
    if request.content_length and request.mimetype.startswith(FORMS):
        raise NotJson(FORM)


def check_file(max_bytes: int) -> None:
    """Checks the declared length and the type of a file. Raises `TooLarge`, `NotJson`."""
    if request.mimetype not in KINDS:
        raise NotJson(FILE_AS_FORM if request.mimetype == FORMS[0] else FILE)
    _check_length(max_bytes)


def _check_length(max_bytes: int) -> None:
    if (request.content_length or 0) > max_bytes:
        raise TooLarge


@contextmanager
def json_body(max_bytes: int, writes: bool) -> Iterator[dict[str, Any]]:
    """Yields the JSON object in the body; an empty body, `null` and `[]` count as `{}`.

    Only one request at a time parses a large body. With `writes`, objects in which equal keys have different
    values become `Doubled`. Raises `TooLarge`, `NotJson`, `NotUnderstood`, `ServiceUnavailable`.
    """
    file = request.environ["wsgi.input"]
    raw = file.read(WAITING_BYTES + 1)
    permit = _permit() if len(raw) > WAITING_BYTES else nullcontext()
    with permit, PARSING if len(raw) > LARGE_BYTES else nullcontext():
        file.seek(0)
        raw = file.read(max_bytes + 1)
        yield _object(raw, max_bytes, writes)


def _object(raw: bytes, max_bytes: int, writes: bool) -> dict[str, Any]:
    """The JSON object in a body; empty for a blank body. Raises `TooLarge`, `NotJson`, `NotUnderstood`."""
    if len(raw) > max_bytes:
        raise TooLarge
    if raw and request.mimetype.startswith(FORMS):
        raise NotJson(FORM)
    if not raw.strip():
        return {}
    body = _parse(raw, writes)
    if body is None or body == []:
        return {}
    if not isinstance(body, dict):
        raise NotUnderstood(OBJECT)
    return body


@contextmanager
def _permit() -> Iterator[None]:
    """Limits how many large bodies wait to be parsed. Raises `ServiceUnavailable` at once beyond that."""
    gate = services().parse_gate
    if gate is not None and not gate.enter():
        raise ServiceUnavailable(BUSY)
    try:
        yield
    finally:
        if gate is not None:
            gate.leave()


def file_body() -> BinaryIO:
    """The body as a file that can be read several times."""
    body: BinaryIO = request.environ["wsgi.input"]
    return body


def read_lists() -> dict[str, Any]:
    """The repeatable parameters of an upload: tags, values and headers. Blank tags are dropped.

    Raises `Refused` if a column is given two meanings.
    """
    meanings = [
        (key, what) for key, what in request.args.items(multi=True) if key.startswith("map[") and what
    ]
    if len({*meanings}) > len(dict(meanings)):
        raise Refused(SEVERAL, [FieldError("map", SEVERAL)])
    lists = {key: [*request.args.getlist(key), *request.args.getlist(f"{key}[]")] for key in LISTS}
    lists["tag"] = [tag for tag in lists["tag"] if tag]
    return {key: values for key, values in lists.items() if values}


def _parse(raw: bytes, writes: bool) -> Any:
    """Parses JSON, with `writes` as in `json_body`. Raises `NotUnderstood`, and `Compressed` if need be."""
    named = request.headers.get("Content-Encoding", "").lower().split(",")
    is_packed = not PACKED.isdisjoint(coding.strip() for coding in named)
    try:
        if is_packed:
            raw.decode()  # what is out of bounds may be packed, too
        keys = json_bounds.check(raw)
        body = json.loads(text := raw.decode("utf-8-sig"))
        return targets.parse(text) if writes and not targets.has_keys(body, keys) else body
    except (ValueError, RecursionError) as error:
        raise (Compressed() if is_packed else NotUnderstood(JSON)) from error


def read_query() -> tuple[dict[str, Any], list[str]]:
    """The (values, site uuids) of the query. Parameters `a[b]=` and `a[]=` become nested values.

    A known client appends `?site_uuid=...` to the value of another parameter: that is cut off, and counts as
    a site uuid.
    """
    values: dict[str, Any] = {}
    site_uuids: list[str] = []
    for key, text in pairs(request.query_string.decode()):
        value, _, appended = text.partition(APPENDED_SITE)
        site_uuids += filter(None, (appended, value if key == SITE else ""))
        if key != SITE:
            _nest(values, key, with_lost_plus(value) if key == "email" else value)
    return values, site_uuids


def identifiers_in_query() -> dict[str, list[str]]:
    """All values in the query by parameter name, without brackets, to look for addresses and uuids."""
    named: dict[str, list[str]] = {}
    for key, text in pairs(request.query_string.decode()):
        named.setdefault(key.partition("[")[0], []).append(text.partition(APPENDED_SITE)[0])
    return named


def pairs(query: str) -> list[tuple[str, str]]:
    """Parses a query as `urllib.parse.parse_qsl` does, keeping blank values, in half the time."""
    parts = (part.partition("=") for part in query.replace("+", " ").split("&") if part)
    return [(_decoded(name), _decoded(value)) for name, _, value in parts]


def _decoded(text: str) -> str:
    return unquote(text, errors=QUOTED) if "%" in text else text


def _nest(values: dict[str, Any], key: str, value: str) -> None:
    """Adds a parameter to `values`: `a[b]` as a member of an object, `a[]` as an item of an array."""
    match = SUBSCRIPT.fullmatch(key) if "[" in key else None
    if match is None:
        _add(values, key, value)
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


def _add(values: dict[str, Any], key: str, value: str) -> None:
    before = values.get(key)
    if not value or not before:
        values[key] = value or values.get(key, "")
    elif isinstance(before, Repeated):
        before.append(value)
    else:
        values[key] = Repeated([before, value]) if isinstance(before, str) else value


def site_uuid(in_query: list[str], body: Mapping[str, Any]) -> str | None:
    """The site uuid in the query or the body, else None.

    Raises `NotUnderstood` or `Refused` if there are several.
    """
    if isinstance(body, Doubled) and SITE in body.doubled:
        raise Refused(SITES_IN_BODY, [FieldError(SITE, TWICE)])
    in_body = body.get(SITE)
    uuids = {with_dashes(text) for text in (*in_query, *([] if in_body in (None, "") else [str(in_body)]))}
    if len(uuids) > 1:
        raise NotUnderstood(SITES)
    return uuids.pop() if uuids else None
