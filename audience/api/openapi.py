"""The OpenAPI 3.1 document, generated from the routes: their `endpoint` arguments, forms and docstrings."""

import inspect
import re
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Blueprint, Flask, current_app
from werkzeug.routing import Rule

from audience.api.endpoint import Declared, Files
from audience.api.openapi_schema import SchemaConverter
from audience.http.access import PUBLIC, View, public
from audience.http.errors import MEANING
from audience.http.services import settings
from schemas.responses import Error

blueprint = Blueprint("description", __name__, url_prefix="/api")

INFO = {
    "description": (
        "E-mail subscribers: import, search, find, tag, update, count.\n\n"
        "Every request uses HTTP Basic authentication and has a `site_uuid`. Dates are RFC 3339 in UTC; "
        "ids are text. A JSON `null` is an absent key; unknown keys are ignored. `x-scope` is the scope that "
        "a key needs: `full` may do everything; `read` may read, including counts; `stats` may count; "
        "`utility` may use `/experimental`."
    ),
    "license": {"name": "MIT", "identifier": "MIT"},
}
KEYS = {
    "type": "http",
    "scheme": "basic",
    "description": "The publishable key is the username, the secret key the password.",
}
SITE = {
    "description": "The site; may be in the JSON body instead. Optional for a key with exactly one site.",
    "schema": {"type": "string", "format": "uuid"},
}
HEADERS = {
    "X-Request-Id": {"description": "Identifies the request in the log.", "schema": {"type": "string"}},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
    "Allow": {"description": "The methods of the path.", "schema": {"type": "string"}},
    "WWW-Authenticate": {"description": "HTTP Basic.", "schema": {"type": "string"}},
}
REFUSED_WITH = {401: ("WWW-Authenticate",), 405: ("Allow",), 429: ("Retry-After",), 503: ("Retry-After",)}
BODY_ON_GET = "The same values as JSON, which override the query. Browsers cannot send this body."
ALWAYS = (400, 401, 403, 413, 415, 429, 500, 503)
NOT_WORD = re.compile(r"\W+")
PART = re.compile(r"<(?:(\w+)[^<>]*:)?(\w+)>")


@blueprint.get("/openapi.json")
@public
def openapi() -> Any:
    """The OpenAPI document"""
    extensions = current_app.extensions
    if "description" not in extensions:
        extensions["description"] = describe(current_app)
    return extensions["description"]


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
        servers=[{"url": f"{urlsplit(settings().base_url).path}/api"}],
        security=[{"keys": []}],
    )
    spec.components.security_scheme("keys", KEYS)
    spec.components.parameter("site_uuid", "query", SITE)
    for name, header in HEADERS.items():
        spec.components.header(name, header)
    for status, meaning in MEANING.items():
        spec.components.response(str(status), answer(meaning, Error, *REFUSED_WITH.get(status, ())))
    for rule, view in described_routes(app):
        parts: list[tuple[str, str]] = PART.findall(rule.rule)
        spec.path(
            path_of(rule),
            operations={method.lower(): operation(rule, method, view) for method in methods_of(rule)},
            parameters=[part(name, converter) for converter, name in parts],
        )
    return spec.to_dict()


class SchemaPlugin(MarshmallowPlugin):
    Converter = SchemaConverter


def path_of(rule: Rule) -> str:
    return PART.sub(r"{\2}", rule.rule).removeprefix("/api")


def methods_of(rule: Rule) -> list[str]:
    return sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})


def part(name: str, converter: str) -> dict[str, Any]:
    schema = {"type": "string"} | ({"pattern": "^[0-9]+$"} if converter == "int" else {})
    return {"in": "path", "name": name, "required": True, "schema": schema}


def operation(rule: Rule, method: str, view: View) -> dict[str, Any]:
    declared: Declared = vars(view)["declared"]
    path = path_of(rule).removeprefix("/v1")
    refusals = [
        *ALWAYS,
        *([404] if has_id(rule, declared) else []),
        *([422] if declared.takes or declared.accepts else []),
    ]
    return {
        "operationId": NOT_WORD.sub("_", method.lower() + path).strip("_"),
        "tags": [rule.endpoint.split(".")[-2].replace("_", " ")],
        **documentation(view),
        "x-scope": declared.scope,
        "parameters": ["site_uuid", *query(method, declared)],
        **body(method, declared),
        "responses": {str(declared.status): answer("Done.", declared.gives)}
        | {str(status): str(status) for status in sorted(refusals)},
    }


def documentation(view: View) -> dict[str, str]:
    """The first line of the docstring as summary, the rest as description."""
    summary, _, more = (inspect.getdoc(view) or view.__name__.replace("_", " ")).partition("\n\n")
    return {"summary": summary} | ({"description": more} if more else {})


def has_id(rule: Rule, declared: Declared) -> bool:
    """Whether a request has an id, so that it may be answered with a 404."""
    fields = declared.takes().fields if declared.takes else {}
    return bool(rule.arguments) or any(name.endswith("_id") for name in fields)


def query(method: str, declared: Declared) -> list[dict[str, Any]]:
    """The form's values as query parameters; a POST may send them in its body instead."""
    if not declared.takes or not declared.query:
        return []
    return [{"in": "query", "schema": declared.takes(partial=method != "GET")}]


def body(method: str, declared: Declared) -> dict[str, Any]:
    if declared.accepts:
        return {"requestBody": {"required": True, "content": files(declared.accepts)}}
    if not declared.takes:
        return {}
    content = {"application/json": {"schema": declared.takes}}
    if method == "GET":
        return {"requestBody": {"description": BODY_ON_GET, "content": content}}
    return {"requestBody": {"required": not declared.query, "content": content}}


def answer(meaning: str, schema: Any, *headers: str) -> dict[str, Any]:
    return {
        "description": meaning,
        "headers": {name: name for name in ("X-Request-Id", *headers)},
        "content": files(schema)
        if isinstance(schema, tuple)
        else {"application/json": {"schema": schema or {"type": "object"}}},
    }


FILES = {
    "text/csv": "email,first_name,tags\nann@example.com,Ann,vip\n",
    "application/x-ndjson": '{"email": "ann@example.com", "first_name": "Ann", "tags": "vip"}\n',
}


def files(media_types: Files) -> dict[str, Any]:
    return {
        media_type: {"schema": {"type": "string"}, "example": FILES[media_type]}
        if media_type in FILES
        else {"schema": {"type": "string", "format": "binary"}}
        for media_type in media_types
    }
