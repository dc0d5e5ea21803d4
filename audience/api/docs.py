"""The API's description to read and to try, in Swagger UI: the only HTML of this service, outside /api."""

from functools import cache
from html import escape
from importlib.resources import files
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort

from audience.api.endpoint import public
from audience.api.wiring import settings

blueprint = Blueprint("docs", __name__, url_prefix="/docs")

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Audience: the API</title>
<link rel="icon" href="{root}/docs/favicon-32x32.png">
<link rel="stylesheet" href="{root}/docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<noscript>This page needs JavaScript; it shows <a href="{root}/api/openapi.json">this</a>.</noscript>
<script src="{root}/docs/swagger-ui-bundle.js"></script>
<script src="{root}/docs/start.js"></script>
</body>
</html>
"""
START = """SwaggerUIBundle({
  dom_id: "#api",
  url: new URL("../api/openapi.json", document.currentScript.src).href,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestInterceptor: (request) => {
    if (request.method === "GET") delete request.body  // a browser sends none: the query has the same values
    request.credentials = "omit"  // else the browser asks for a password of its own at each 401
    return request
  },
})
"""
ASSETS = {
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "favicon-32x32.png": "image/png",
    "start.js": "text/javascript",
}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
AN_HOUR = {"Cache-Control": "public, max-age=3600"}


@blueprint.get("")
@public
def page() -> Response:
    """The API's description, to read and to try"""
    root = urlsplit(settings().base_url).path
    return Response(PAGE.format(root=escape(root)), mimetype="text/html", headers=HEADERS)


@blueprint.get("/<name>")
@public
def asset(name: str) -> Response:
    """A part of that page"""
    if name not in ASSETS:
        abort(404)
    return Response(content(name), mimetype=ASSETS[name], headers=HEADERS | AN_HOUR)


@cache
def content(name: str) -> bytes:
    if name == "start.js":
        return START.encode()
    return (files("flask_swagger_ui") / "dist" / name).read_bytes()
