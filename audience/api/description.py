"""The API's description: OpenAPI 3.1, made from the routes, what they declare, and the forms they name.

A route describes itself: `endpoint` says who may call it, what goes in and out; its docstring what it does.
"""

import inspect
import re
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Blueprint, Flask, current_app
from werkzeug.routing import Rule

from audience.api.endpoint import PUBLIC, Declared, Files, View, public
from audience.api.errors import MEANING
from audience.api.spelling import Speller
from audience.api.wiring import settings
from schemas.shapes import Error

blueprint = Blueprint("description", __name__, url_prefix="/api")

INFO = {
    "description": (
        "The people behind an e-mail list: import, search, find, tag, command, count.\n\n"
        "Every request carries HTTP Basic authentication and `site_uuid`. Dates are RFC 3339 in UTC; ids are "
        "text. A JSON `null` is an absent key; unknown keys are ignored. `x-scope` is the scope that a key "
        "needs: `full` may do everything; `read` reads, `stats` included; `stats` counts; `utility` asks the "
        "sign-up questions."
    ),
    "license": {"name": "MIT", "identifier": "MIT"},
}
KEYS = {
    "type": "http",
    "scheme": "basic",
    "description": "The publishable key is the username, the secret key the password.",
}
SITE = {
    "description": "The site; also read from the JSON body. A key that reaches exactly one site needs none.",
    "schema": {"type": "string", "format": "uuid"},
}
HEADERS = {
    "X-Request-Id": {"description": "Names the request in the service's log.", "schema": {"type": "string"}},
    "Retry-After": {"description": "Whole seconds to wait.", "schema": {"type": "integer"}},
    "Allow": {"description": "The methods of the path.", "schema": {"type": "string"}},
    "WWW-Authenticate": {"description": "HTTP Basic.", "schema": {"type": "string"}},
}
REFUSED_WITH = {401: ("WWW-Authenticate",), 405: ("Allow",), 429: ("Retry-After",)}
BODY_ON_GET = "The same values as a JSON body; it wins where both name one. Browsers cannot send it."
ALWAYS = (400, 401, 403, 413, 415, 429, 500, 503)
NOT_WORD = re.compile(r"\W+")
PART = re.compile(r"<(?:(\w+)[^<>]*:)?(\w+)>")


@blueprint.get("/openapi.json")
@public
def openapi() -> Any:
    """The API's description"""
    made = current_app.extensions
    if "description" not in made:
        made["description"] = describe(current_app)
    return made["description"]


def described_routes(app: Flask) -> list[tuple[Rule, View]]:
    """The routes of the document: all that need a key."""
    routes = [(rule, app.view_functions[rule.endpoint]) for rule in app.url_map.iter_rules()]
    return [(rule, view) for rule, view in routes if vars(view)["scope"] != PUBLIC]


def describe(app: Flask) -> dict[str, Any]:
    spec = APISpec(
        "Audience",
        version("audience"),
        "3.1.0",
        plugins=[Forms()],
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


class Forms(MarshmallowPlugin):
    Converter = Speller


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
        *([404] if names_a_thing(rule, declared) else []),
        *([422] if declared.takes or declared.accepts else []),
    ]
    return {
        "operationId": NOT_WORD.sub("_", method.lower() + path).strip("_"),
        "tags": [rule.endpoint.split(".")[-2].replace("_", " ")],
        **in_words(view),
        "x-scope": declared.scope,
        "parameters": ["site_uuid", *query(method, declared)],
        **body(method, declared),
        "responses": {str(declared.status): answer("Done.", declared.gives)}
        | {str(status): str(status) for status in sorted(refusals)},
    }


def in_words(view: View) -> dict[str, str]:
    """A docstring's first line, and the rest."""
    summary, _, more = (inspect.getdoc(view) or view.__name__.replace("_", " ")).partition("\n\n")
    return {"summary": summary} | ({"description": more} if more else {})


def names_a_thing(rule: Rule, declared: Declared) -> bool:
    """Whether a request names something that the site may not have."""
    fields = declared.takes().fields if declared.takes else {}
    return bool(rule.arguments) or any(name.endswith("_id") for name in fields)


def query(method: str, declared: Declared) -> list[dict[str, Any]]:
    """The form's values as parameters of the query; a POST may have them in its body as well."""
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
        media_type: {"schema": {"type": "string"}, "example": FILES[media_type]} for media_type in media_types
    }
