"""The page about the API, with its style sheet and icon; `/` leads there."""

import gzip
import shlex
from functools import cache
from hashlib import sha256
from importlib.resources import files

from flask import Blueprint, Response, abort, current_app, redirect, render_template, request
from werkzeug.wrappers import Response as RedirectResponse

from audience.api import samples
from audience.api.openapi import describe
from audience.api.reference import Reference
from audience.http.access import public
from audience.http.pages import SECURITY_HEADERS, packable, public_root
from audience.looks import looks

blueprint = Blueprint("docs", __name__, template_folder="templates")

STYLE, ICON = "reference.css", "icon.png"
ASSETS = {STYLE: "text/css", ICON: "image/png"}
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
    """The API, to read"""
    extensions = current_app.extensions
    if "reference" not in extensions:
        text = render().encode()
        extensions["reference"] = text, gzip.compress(text, mtime=0)
    plain, gzipped = extensions["reference"]
    response = packable(plain, gzipped, "text/html")
    response.headers.update(SECURITY_HEADERS)
    return response


@blueprint.get("/docs/<name>")
@public
def asset(name: str) -> Response:
    """An asset of the page"""
    original = assets_by_hashed_name().get(name)
    if original is None:
        abort(404)
    if original == STYLE:
        response = packable(content(STYLE), gzip.compress(content(STYLE), mtime=0), ASSETS[STYLE])
    else:
        response = Response(content(original), mimetype=ASSETS[original])
    response.headers.update(SECURITY_HEADERS | FOREVER)
    return response


def render() -> str:
    """The HTML of the page. It is the same for all who read it."""
    root = public_root()
    return render_template(
        "api/reference.html",
        reference=Reference(describe(current_app)),
        root=root,
        style=f"{root}/docs/{name_with_hash(STYLE)}",
        icon=f"{root}/docs/{name_with_hash(ICON)}",
        shell=shlex.quote,
        literal=samples.literal,
        **samples.NOTATIONS,
    )


@cache
def name_with_hash(name: str) -> str:
    """The name of a file with a hash of its content, so that browsers may cache it forever."""
    stem, _, ending = name.rpartition(".")
    return f"{stem}-{sha256(content(name)).hexdigest()[:HASH_LENGTH]}.{ending}"


@cache
def assets_by_hashed_name() -> dict[str, str]:
    return {name_with_hash(name): name for name in ASSETS}


@cache
def content(name: str) -> bytes:
    return (files("audience.api") / "static" / name).read_bytes()
