"""The documentation and the page about the API, with their style sheet and icon; `/` leads there."""

import gzip
import shlex
from collections.abc import Callable
from functools import partial

from flask import Blueprint, Response, abort, current_app, redirect, render_template, request
from werkzeug.wrappers import Response as RedirectResponse

from audience.api import doc_pages, samples
from audience.api.openapi import describe
from audience.api.reference import Reference
from audience.http.access import public
from audience.http.pages import SECURITY_HEADERS, packable, public_root
from audience.http.services import settings
from audience.http.static_files import StaticFolder
from audience.looks import looks

blueprint = Blueprint("docs", __name__, template_folder="templates")

FOLDER = StaticFolder("audience.api", "/docs/static")
PNG = "image/png"
ONE_DAY = {"Cache-Control": "public, max-age=86400"}


@blueprint.before_request
def hide() -> None:
    """Answers 404 under the own address of a site's pages, but for the icon, which they show."""
    if request.endpoint != "docs.icon" and looks.is_own_host(request.host):
        abort(404)


@blueprint.get("/")
@public
def root() -> RedirectResponse:
    """Leads a browser to the console, and any other client to the description of the API"""
    target = "console" if "text/html" in request.accept_mimetypes.values() else "docs"
    response = redirect(f"{public_root()}/{target}")
    response.headers["Vary"] = "Accept"
    return response


@blueprint.get("/favicon.ico")
@public
def icon() -> Response:
    """The icon of the pages"""
    response = FOLDER.serve("icon.png")
    response.headers.update(SECURITY_HEADERS | ONE_DAY)
    return response


@blueprint.get("/docs")
@blueprint.get("/docs/<path:name>")
@public
def page(name: str = doc_pages.INDEX) -> Response:
    """A page of the documentation, or a picture in it"""
    file = doc_pages.sources().get(name)
    if file is None:
        abort(404)
    if file.suffix == doc_pages.PICTURE:
        return Response(file.read_bytes(), mimetype=PNG, headers=SECURITY_HEADERS | ONE_DAY)
    return packed(name, partial(render_page, name))


@blueprint.get("/docs/api")
@public
def api() -> Response:
    """The API, to read"""
    return packed("api", render_reference)


@blueprint.get("/docs/static/<name>")
@public
def asset(name: str) -> Response:
    """An asset of the pages"""
    response = FOLDER.serve(name)
    response.headers.update(SECURITY_HEADERS)
    return response


def packed(name: str, render: Callable[[], str]) -> Response:
    """The page `name`, which is the same for all readers. Its first request renders it."""
    pages = current_app.extensions.setdefault("docs", {})
    if name not in pages:
        text = render().encode()
        pages[name] = text, gzip.compress(text, mtime=0)
    plain, gzipped = pages[name]
    response = packable(plain, gzipped, "text/html")
    response.headers.update(SECURITY_HEADERS)
    return response


def render_page(name: str) -> str:
    """The HTML of a page of the documentation."""
    shown = doc_pages.read(name, settings().base_url)
    return render_template("api/doc_page.html", page=shown, is_index=name == doc_pages.INDEX, **frame())


def render_reference() -> str:
    """The HTML of the page about the API."""
    return render_template(
        "api/reference.html",
        reference=Reference(describe(current_app)),
        shell=shlex.quote,
        literal=samples.literal,
        **samples.NOTATIONS,
        **frame(),
    )


def frame() -> dict[str, str]:
    """The addresses that every page needs."""
    shown = {"style": FOLDER.url("reference.css"), "icon": FOLDER.url("icon.png")}
    return {"root": public_root(), **shown}
