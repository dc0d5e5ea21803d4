"""The API in Swagger UI, to read and to try, with its assets; `/` leads there."""

import gzip
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from flask import Blueprint, Response, abort, redirect, request
from werkzeug.wrappers import Response as RedirectResponse

from audience.http.access import public
from audience.http.pages import SECURITY_HEADERS, packable, public_root
from audience.looks import looks

blueprint = Blueprint("docs", __name__)

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Audience: the API</title>
<link rel="icon" href="{root}/docs/{icon}">
<link rel="stylesheet" href="{root}/docs/{style}">
</head>
<body>
<div id="api"></div>
<noscript>Without JavaScript, read <a href="{root}/api/openapi.json">the OpenAPI document</a>.</noscript>
<script src="{root}/docs/{bundle}"></script>
<script src="{root}/docs/{start}"></script>
</body>
</html>
"""
START = """const api = new URL("../api", document.currentScript.src).href
fetch(`${api}/openapi.json`).then((answer) => answer.json()).then((spec) => SwaggerUIBundle({
  dom_id: "#api",
  spec: {...spec, servers: [{url: api}]},  // tries calls where the page is, whatever its public address
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestInterceptor: (request) => {
    if (request.method === "GET") delete request.body  // browsers cannot send it
    request.credentials = "omit"  // otherwise the browser asks for a password at each 401
    return request
  },
}))
"""
ASSETS = {
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "favicon-32x32.png": "image/png",
    "start.js": "text/javascript",
}
ICON = "favicon-32x32.png"
HASH_LENGTH = 12
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
ONE_DAY = {"Cache-Control": "public, max-age=86400"}


@blueprint.get("/")
@public
def root() -> RedirectResponse:
    """Leads a browser to the console, and any other client to the description of the API"""
    if looks.is_own_host(request.host):
        abort(404)
    target = "console" if "text/html" in request.accept_mimetypes.values() else "docs"
    response = redirect(f"{public_root()}/{target}")
    response.headers["Vary"] = "Accept"
    return response


@blueprint.get("/favicon.ico")
@public
def icon() -> Response:
    """The icon of the pages"""
    return Response(content(ICON), mimetype=ASSETS[ICON], headers=SECURITY_HEADERS | ONE_DAY)


@blueprint.get("/docs")
@public
def page() -> Response:
    """The API, to read and to try"""
    style, bundle, favicon, start = map(name_with_hash, ASSETS)
    names = {"style": style, "bundle": bundle, "icon": favicon, "start": start}
    text = PAGE.format(root=escape(public_root()), **names)
    return Response(text, mimetype="text/html", headers=SECURITY_HEADERS)


@blueprint.get("/docs/<name>")
@public
def asset(name: str) -> Response:
    """An asset of the page"""
    original = assets_by_hashed_name().get(name)
    if original is None:
        abort(404)
    if ASSETS[original].startswith("text/"):
        response = packable(content(original), compress(original), ASSETS[original])
    else:
        response = Response(content(original), mimetype=ASSETS[original])
    response.headers.update(SECURITY_HEADERS | FOREVER)
    return response


@cache
def name_with_hash(name: str) -> str:
    """The name of a file with a hash of its content, so that browsers may cache it forever."""
    stem, _, ending = name.rpartition(".")
    return f"{stem}-{sha256(content(name)).hexdigest()[:HASH_LENGTH]}.{ending}"


@cache
def assets_by_hashed_name() -> dict[str, str]:
    return {name_with_hash(name): name for name in ASSETS}


@cache
def compress(name: str) -> bytes:
    return gzip.compress(content(name), mtime=0)


@cache
def content(name: str) -> bytes:
    if name == "start.js":
        return START.encode()
    return (files("flask_swagger_ui") / "dist" / name).read_bytes()
