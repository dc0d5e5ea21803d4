"""The OpenAPI 3.1 document, generated from the routes: their `endpoint` arguments, forms and docstrings."""

import gzip
import inspect
import re
from importlib.metadata import version
from typing import Any, NamedTuple

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Blueprint, Flask, Response, abort, current_app, request
from werkzeug.routing import Rule

from audience.access.keys import UNAUTHORIZED
from audience.answers.moderation.reasons import ModerationReason
from audience.answers.reasons import Reason
from audience.answers.validation.reasons import ValidationReason
from audience.api import etags, openapi_examples, openapi_rules, openapi_texts, openapi_webhooks
from audience.api import repeats as sent_again
from audience.api.endpoint import FORBIDDEN, RATE_LIMITED, Endpoint
from audience.api.openapi_schema import SchemaConverter
from audience.api.request_data import JSON, PREFER
from audience.api.writes import Files
from audience.errors import (
    AudienceError,
    Compressed,
    Forbidden,
    NotFound,
    NotUnderstood,
    PreconditionFailed,
    Refused,
    TooLarge,
    TooLate,
    TooMany,
    Unauthorized,
    UnderWay,
)
from audience.http.access import PUBLIC, View, public
from audience.http.errors import FORM_ERROR, HTTP, MEANING, UNAVAILABLE, UNEXPECTED
from audience.http.pages import packable
from audience.http.services import settings
from audience.looks import looks
from audience.repeats.repeats import UNDER_WAY
from schemas.base import REQUIRED, RequestSchema, errors
from schemas.custom_fields import CUSTOM_VALUE
from schemas.responses import Error, open_enum
from schemas.values import FieldError
from schemas.webhooks import ImportFinishedMessage, SignUpsMessage, WebhookMessage

blueprint = Blueprint("description", __name__, url_prefix="/api")

INFO = {
    "description": (
        "E-mail subscribers: import, search, find, tag, update, count.\n\n"
        "Every request uses HTTP Basic authentication and has a `site_uuid`. Dates are RFC 3339 in UTC; "
        "ids are text. A JSON `null` is an absent key; unknown keys are ignored. `x-scope` is the scope that "
        "a key needs: `full` may do everything; `read` may read, including counts; `stats` may count; "
        "`mailer` may read, including the links of subscribers; `utility` may use `/experimental`; `signup` "
        "may also ask for sign-ups.\n\n"
        "Nothing is removed without notice while paths begin with `/v1`: it is first marked `deprecated`, "
        "and works for another 12 months. Any version may add parameters, properties, values and codes: "
        "ignore those that you do not know (docs/compatibility.md)."
    ),
    "license": {"name": "MIT", "identifier": "MIT"},
}
KEYS = {
    "type": "http",
    "scheme": "basic",
    "description": "The publishable key is the username, the secret key the password.",
}
SITE = {
    "description": "The uuid of the site; you may send it in the JSON body instead. Optional for a key with "
    "exactly one site.",
    "schema": {"type": "string", "format": "uuid"},
}
HEADERS = {
    "X-Request-Id": {"description": "The id of the request in the log.", "schema": {"type": "string"}},
    "X-Client-Request-Id": {
        "description": "The request's own `X-Request-Id`, of 1 to 64 letters, digits, - and _.",
        "schema": {"type": "string"},
    },
    "RateLimit-Limit": {
        "description": "Requests allowed in a window, if there is a limit.",
        "schema": {"type": "integer"},
    },
    "RateLimit-Remaining": {
        "description": "Requests that are left in the window.",
        "schema": {"type": "integer"},
    },
    "RateLimit-Reset": {"description": "Seconds until the window ends.", "schema": {"type": "integer"}},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
    "Allow": {"description": "The methods that the path allows.", "schema": {"type": "string"}},
    "WWW-Authenticate": {"description": "HTTP Basic.", "schema": {"type": "string"}},
    "ETag": {"description": "The version of the record as it is now.", "schema": {"type": "string"}},
    sent_again.REPLAYED: {
        "description": "`true` if the request was already carried out before; otherwise absent.",
        "schema": {"type": "string", "enum": ["true"]},
    },
}
ONCE = {
    "description": "Letters, digits, hyphens and underscores, such as a UUID. If you send the request again "
    "with the same key within 24 hours, it is answered but not carried out again.",
    "schema": {"type": "string", "pattern": f"^{sent_again.KEY.pattern}$"},
}
CONDITIONS = {
    etags.IF_MATCH: "ETags: nothing is written unless the record has one of them.",
    etags.IF_NONE_MATCH: "ETags: 304 without a body if the record has one of them.",
}
STRICT = {
    "description": "`handling=strict` refuses parameters that are not known; other preferences are ignored.",
    "schema": {"type": "string", "enum": ["handling=strict", "handling=lenient"]},
}
NOT_MODIFIED = {"description": "The record has an ETag of `If-None-Match`.", "headers": {"ETag": "ETag"}}
REFUSED_WITH = {
    401: ("WWW-Authenticate",),
    405: ("Allow",),
    409: ("Retry-After",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}
ALWAYS_SENT = (
    "X-Request-Id",
    "X-Client-Request-Id",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
)
ERRORS = {  # an example of each
    400: NotUnderstood(JSON),
    401: Unauthorized(UNAUTHORIZED),
    403: Forbidden(FORBIDDEN.format("full")),
    404: NotFound(HTTP[404]),
    405: NotUnderstood(HTTP[405]),
    408: TooLate(),
    409: UnderWay(UNDER_WAY, 1),
    412: PreconditionFailed(etags.CHANGED),
    413: TooLarge(),
    415: Compressed(),
    422: Refused(FORM_ERROR, [FieldError("subscribers[3].email", REQUIRED)]),
    429: TooMany(RATE_LIMITED, 1),
    500: NotUnderstood(UNEXPECTED),
    503: NotUnderstood(UNAVAILABLE),
}
REASONS: dict[str, type[Reason]] = {
    "Validation": ValidationReason,
    "StrictValidation": ValidationReason,
    "Moderation": ModerationReason,
}
SEARCH = "/fetch/search"
BODY_ON_GET = "The same values as JSON; they override the query. Browsers cannot send this body."
ALWAYS = (400, 401, 403, 408, 413, 415, 422, 429, 500, 503)
PART = re.compile(r"<(?:(\w+)[^<>]*:)?(\w+)>")


@blueprint.get("/openapi.json")
@public
def openapi() -> Response:
    """The OpenAPI document, which names the public address"""
    if looks.is_own_host(request.host):
        abort(404)
    extensions = current_app.extensions
    if "description" not in extensions:
        document = current_app.json.dumps(describe(current_app)).encode()
        extensions["description"] = document, gzip.compress(document, mtime=0)
    plain, gzipped = extensions["description"]
    return packable(plain, gzipped, "application/json")


def described_routes(app: Flask) -> list[tuple[Rule, View]]:
    """The routes of the document: those that need a key."""
    routes = [(rule, app.view_functions[rule.endpoint]) for rule in app.url_map.iter_rules()]
    return [(rule, view) for rule, view in routes if vars(view).get("scope", PUBLIC) != PUBLIC]


def describe(app: Flask) -> dict[str, Any]:
    spec = APISpec(
        "Audience",
        version("audience"),
        "3.1.0",
        plugins=[SchemaPlugin()],
        info=INFO,
        servers=[{"url": f"{settings().base_url}/api"}],
        security=[{"keys": []}],
        tags=tags(app),
        webhooks=openapi_webhooks.describe(),
    )
    spec.components.security_scheme("keys", KEYS)
    spec.components.parameter("site_uuid", "query", SITE)
    spec.components.parameter(sent_again.HEADER, "header", ONCE)
    spec.components.parameter(PREFER, "header", STRICT)
    for name, text in CONDITIONS.items():
        spec.components.parameter(name, "header", {"description": text, "schema": {"type": "string"}})
    for name, header in HEADERS.items():
        spec.components.header(name, header)
    for status, meaning in MEANING.items():
        response = answer(meaning, Error, *REFUSED_WITH.get(status, ()))
        response["content"]["application/json"]["example"] = error_body(ERRORS[status])
        spec.components.response(str(status), response)
    for name, schema in (openapi_rules.schemas() | {"CustomValue": dict(CUSTOM_VALUE)}).items():
        spec.components.schema(name, schema)
    spec.components.schema("WebhookMessage", schema=WebhookMessage)
    spec.components.schema("SignUpsMessage", schema=SignUpsMessage)
    spec.components.schema("ImportFinishedMessage", schema=ImportFinishedMessage)
    for rule, view in described_routes(app):
        parts: list[tuple[str, str]] = PART.findall(rule.rule)
        spec.path(
            path_of(rule),
            operations={method.lower(): operation(rule, method, view) for method in methods_of(rule)},
            parameters=[part(name, converter) for converter, name in parts],
        )
    document = spec.to_dict()
    for name, reasons in REASONS.items():
        document["components"]["schemas"][name]["properties"]["reasons"]["items"] = open_enum(reasons)
    return openapi_examples.add_to(openapi_texts.add_to(document))


class SchemaPlugin(MarshmallowPlugin):
    Converter = SchemaConverter


def path_of(rule: Rule) -> str:
    return PART.sub(r"{\2}", rule.rule).removeprefix("/api")


def methods_of(rule: Rule) -> list[str]:
    return sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})


def part(name: str, converter: str) -> dict[str, Any]:
    """The parameter for a variable part of a path."""
    schema = {"type": "string"} | ({"pattern": "^[0-9]+$"} if converter == "number" else {})
    return {"in": "path", "name": name, "required": True, "schema": schema}


def tags(app: Flask) -> list[dict[str, str]]:
    """The tags of the document: each noun, with the docstring of its module."""
    texts = {tag(rule): inspect.getdoc(inspect.getmodule(view)) or "" for rule, view in described_routes(app)}
    return [{"name": name, "description": text} for name, text in texts.items()]


def tag(rule: Rule) -> str:
    blueprint_name: str = rule.endpoint.split(".")[-2]
    return blueprint_name.replace("_", " ")


def operation(rule: Rule, method: str, view: View) -> dict[str, Any]:
    declared: Endpoint = vars(view)["declared"]
    path = path_of(rule).removeprefix("/v1")
    text = documentation(view)
    conditions = headers_of(method, declared)
    refusals = [*ALWAYS, *([404] if has_id(rule, declared) else []), *refusals_of(declared)]
    return {
        "operationId": operation_id(method, path, view),
        "tags": [tag(rule)],
        "summary": text.summary,
        "description": text.description,
        "x-scope": declared.scope,
        "parameters": ["site_uuid", *conditions, *query(method, declared)],
        **body(path, method, declared),
        "responses": {
            str(declared.status): answer(text.returns, declared.answers, *answered_with(method, declared))
        }
        | ({"304": NOT_MODIFIED} if etags.IF_NONE_MATCH in conditions else {})
        | {str(status): str(status) for status in sorted(refusals)},
    }


def operation_id(method: str, path: str, view: View) -> str:
    """The name of the view in camel case, or another for a further route of it. It stays as published."""
    first, *words = view.__name__.split("_")
    own = first + "".join(map(str.capitalize, words))
    return openapi_texts.OPERATION_IDS.get(f"{method} {path}", own)


def headers_of(method: str, declared: Endpoint) -> list[str]:
    """The request headers that make a request conditional, repeatable or strict."""
    condition = etags.IF_NONE_MATCH if method == "GET" else etags.IF_MATCH
    is_conditional = declared.has_etag if method == "GET" else declared.current
    sent = {sent_again.HEADER: declared.again, condition: is_conditional, PREFER: declared.query}
    return [name for name, is_read in sent.items() if is_read]


def refusals_of(declared: Endpoint) -> list[int]:
    """The statuses of errors that the headers If-Match and Idempotency-Key can cause."""
    return [*([409] if declared.again and declared.accepts else []), *([412] if declared.current else [])]


def answered_with(method: str, declared: Endpoint) -> list[str]:
    """The response headers that tell a record's ETag, and whether a request was repeated."""
    is_tagged = declared.has_etag and method != "DELETE"
    return [*([sent_again.REPLAYED] if declared.again else []), *(["ETag"] if is_tagged else [])]


class Documentation(NamedTuple):
    summary: str
    description: str
    returns: str


def documentation(view: View) -> Documentation:
    """The (title, description, "Returns" sentence) of a view's docstring."""
    text, _, returned = (inspect.getdoc(view) or "").partition("\n\nReturns ")
    summary, _, description = text.partition("\n\n")
    return Documentation(summary, unwrap(description), unwrap(f"{returned[:1].upper()}{returned[1:]}"))


def unwrap(text: str) -> str:
    return " ".join(text.split())


def has_id(rule: Rule, declared: Endpoint) -> bool:
    """Whether a request identifies a record, so that the answer may be 404."""
    return bool(rule.arguments) or bool(declared.takes and names_an_id(declared.takes()))


def names_an_id(form: RequestSchema) -> bool:
    """Whether a form, or one within it, has a field whose name ends in `_id`."""
    inner = [getattr(field, "schema", None) for field in form.fields.values()]
    named = any(name.endswith("_id") for name in form.fields)
    return named or any(names_an_id(schema) for schema in inner if isinstance(schema, RequestSchema))


def query(method: str, declared: Endpoint) -> list[dict[str, Any]]:
    """The query parameters of a view. None is required for a POST, which may send them in its body."""
    if not declared.takes or not declared.query:
        return []
    return [{"in": "query", "schema": declared.takes(partial=method != "GET")}]


def error_body(error: AudienceError) -> dict[str, Any]:
    listed = errors(error.errors)
    return {"error": error.message, "code": error.code} | ({"errors": listed} if listed else {})


def body(path: str, method: str, declared: Endpoint) -> dict[str, Any]:
    """The request body. Of the `GET`s only search declares one: most generators cannot send it.

    A file of JSON is not declared, because generated clients would encode it twice.
    """
    if declared.accepts:
        media_types = tuple(name for name in declared.accepts if name != openapi_examples.JSON)
        return {"requestBody": {"required": True, "content": files(media_types, format="binary")}}
    if not declared.takes or (method == "GET" and path != SEARCH):
        return {}
    content = {"application/json": {"schema": declared.takes}}
    if method == "GET":
        return {"requestBody": {"description": BODY_ON_GET, "content": content}}
    return {"requestBody": {"required": not declared.query, "content": content}}


def answer(meaning: str, schema: Any, *headers: str) -> dict[str, Any]:
    """A response. `schema` is that of its JSON, or the media types of a file."""
    return {
        "description": meaning,
        "headers": {name: name for name in (*ALWAYS_SENT, *headers)},
        "content": files(schema)
        if isinstance(schema, tuple)
        else {"application/json": {"schema": schema or {"type": "object"}}},
    }


def files(media_types: Files, **more: str) -> dict[str, Any]:
    """The content of a body or response that is a file."""
    return {media_type: {"schema": {"type": "string", **more}} for media_type in media_types}
