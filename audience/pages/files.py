"""The style sheet and script of all pages, and the colours and logo of a site."""

import gzip
import hashlib
from functools import cache
from importlib.resources import files

from flask import Blueprint, Response, request

from audience.access import sites
from audience.access.sites import Site
from audience.errors import NotFound
from audience.http.access import public
from audience.http.pages import packable, public_root
from audience.looks import colours, looks
from audience.looks.looks import Look

blueprint = Blueprint("files", __name__)

STYLE_SHEET, SCRIPT = "pages.css", "pages.js"
KINDS = {STYLE_SHEET: "text/css", SCRIPT: "text/javascript"}
CACHE_ONE_YEAR = "public, max-age=31536000, immutable"
NOTHING = "There is nothing here."
HASH_LENGTH = 12


@blueprint.get("/pages/static/<name>")
@public
def static(name: str) -> Response:
    """The style sheet and the script of the pages for people"""
    if name not in KINDS:
        raise NotFound(NOTHING)
    content = _content(name)
    packed = packable(content, gzip.compress(content, mtime=0), KINDS[name])
    return _cache_by_version(packed, _hash(content))


@blueprint.get("/pages/<site_uuid>/look.css")
@public
def look_css(site_uuid: str) -> Response:
    """The colours of a site's pages for people"""
    accent = looks.get(sites.get_by_uuid(site_uuid)).accent
    if not accent:
        raise NotFound(NOTHING)
    content = colours.style_sheet(accent).encode()
    return _cache_by_version(Response(content, mimetype="text/css"), _hash(content))


@blueprint.get("/pages/<site_uuid>/logo")
@public
def logo(site_uuid: str) -> Response:
    """The logo of a site's pages for people"""
    found = looks.logo(sites.get_by_uuid(site_uuid))
    if found is None:
        raise NotFound(NOTHING)
    return _cache_by_version(Response(found.content, mimetype=found.kind), looks.logo_hash(found.content))


def static_url(name: str = STYLE_SHEET) -> str:
    return f"{public_root()}/pages/static/{name}?v={_hash(_content(name))}"


def script_url() -> str:
    return static_url(SCRIPT)


def look_url(site: Site, look: Look, name: str) -> str:
    """The URL of a site's `look.css` or `logo`."""
    version = look.logo_hash if name == "logo" else _hash(colours.style_sheet(look.accent).encode())
    return f"{public_root()}/pages/{site.uuid}/{name}?v={version}"


def _cache_by_version(response: Response, version: str) -> Response:
    """Lets browsers keep a response for a year if the URL has `version`, a hash of its content."""
    if request.args.get("v") == version:
        response.headers["Cache-Control"] = CACHE_ONE_YEAR
    return response


@cache
def _content(name: str) -> bytes:
    return (files("audience.pages") / "static" / name).read_bytes()


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:HASH_LENGTH]
