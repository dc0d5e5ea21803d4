"""ETags of resources, the conditions of requests on them, and JSON merge patches (docs/contract.md, Safe to
repeat).
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from flask import Response, request

from audience.errors import PreconditionFailed
from schemas.base import RequestSchema, load
from schemas.codes import Code, Sentence

IF_MATCH, IF_NONE_MATCH = "If-Match", "If-None-Match"
TAG = re.compile(r'"[^"]*"')
CHANGED = Sentence(
    Code.RECORD_CHANGED,
    "The record has changed: its ETag is not the one in If-Match. Get the record again, then repeat your "
    "change.",
)
DELIVERED = frozenset({"delivered", "failures"})  # what deliveries change of a webhook

Current = Callable[..., dict[str, Any]]  # the resource of a request, by the site and the parts of the path


def etag(resource: Mapping[str, Any]) -> str:
    """The ETag of a resource. The part before the dot covers only the fields that requests can change."""
    attributes = resource["attributes"]
    delivered = {name: value for name, value in attributes.items() if name in DELIVERED}
    others = {name: value for name, value in attributes.items() if name not in DELIVERED}
    return f'"{_digest([resource["id"], others])}.{_digest(delivered)}"'


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def check(current: Current, arguments: Mapping[str, Any]) -> None:
    """Raises `PreconditionFailed` if `If-Match` lacks the resource's ETag, `NotFound` without a resource."""
    sent = request.headers.get(IF_MATCH)
    if sent is None:
        return
    parts = {name: value for name, value in arguments.items() if name != "form"}
    own = _changed_part(etag(current(**parts)))
    if sent.strip() != "*" and own not in map(_changed_part, TAG.findall(sent)):
        raise PreconditionFailed(CHANGED)


def _changed_part(tag: str) -> str:
    return tag.strip('"').partition(".")[0]


def add(response: Response, resource: Mapping[str, Any] | None) -> Response:
    """Adds the resource's ETag to a response. Returns 304 without a body if the client has that version."""
    if resource is None or request.method == "DELETE":
        return response
    tag, sent = etag(resource), request.headers.get(IF_NONE_MATCH, "")
    if request.method in ("GET", "HEAD") and (sent.strip() == "*" or tag in TAG.findall(sent)):
        response = Response(status=304)
        del response.headers["Content-Type"]
    response.headers["ETag"] = tag
    return response


def apply_patch(
    form: type[RequestSchema], name: str, resource: Mapping[str, Any], patch: Mapping[str, Any]
) -> Any:
    """The validated values of a resource after a JSON merge patch. `name` is their key in a body for `form`.

    Raises `FormError`.
    """
    saved = form()
    keys, attributes = saved.fields_by_key[name].schema.keys, json.loads(json.dumps(resource["attributes"]))
    settable = {key: value for key, value in attributes.items() if key in keys}
    return load(saved, {name: _merge(settable, patch)})[name]


def _merge(target: Any, patch: Any) -> Any:
    """Applies a JSON merge patch (RFC 7396). Returns the patched value."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merge(merged.get(key), value)
    return merged
