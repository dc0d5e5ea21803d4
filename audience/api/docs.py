"""The API in Swagger UI, to read and to try, with its assets."""

from functools import cache
from html import escape
from importlib.resources import files

from flask import Blueprint, Response, abort

from audience.http.access import public
from audience.http.pages import SECURITY_HEADERS, public_root

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
<noscript>Without JavaScript, read <a href="{root}/api/openapi.json">the OpenAPI document</a>.</noscript>
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
    if (request.method === "GET") delete request.body  // browsers cannot send it
    request.credentials = "omit"  // otherwise the browser asks for a password at each 401
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
CACHE_ONE_HOUR = {"Cache-Control": "public, max-age=3600"}


@blueprint.get("")
@public
def page() -> Response:
    """The API, to read and to try"""
    return Response(PAGE.format(root=escape(public_root())), mimetype="text/html", headers=SECURITY_HEADERS)


@blueprint.get("/<name>")
@public
def asset(name: str) -> Response:
    """An asset of the page"""
    if name not in ASSETS:
        abort(404)
    return Response(content(name), mimetype=ASSETS[name], headers=SECURITY_HEADERS | CACHE_ONE_HOUR)


@cache
def content(name: str) -> bytes:
    if name == "start.js":
        return START.encode()
    return (files("flask_swagger_ui") / "dist" / name).read_bytes()
