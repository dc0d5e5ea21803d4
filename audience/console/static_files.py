"""The console's style sheet, scripts and pictures, under names that contain a hash of their contents."""

import gzip
import hashlib
import mimetypes
from functools import cache
from importlib.resources import files

from flask import Blueprint, Response, request

from audience.console.page import NOT_FOUND, page
from audience.errors import NotFound
from audience.http.pages import public_root

blueprint = Blueprint("static_files", __name__)

CACHE_ONE_YEAR = "public, max-age=31536000, immutable"
COMPRESSED = frozenset({"text/css", "text/javascript", "image/svg+xml"})


@blueprint.get("/static/<version>/<name>")
@page(role="anyone")
def read(version: str, name: str) -> Response:
    """A file of the console's pages"""
    if name not in _names() or version != _version(name):
        raise NotFound(NOT_FOUND)
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    response = Response(_content(name), mimetype=kind, headers={"Cache-Control": CACHE_ONE_YEAR})
    if kind in COMPRESSED:
        response.vary.add("Accept-Encoding")
        if request.accept_encodings["gzip"]:
            response.data = _compress(name)
            response.content_encoding = "gzip"
    return response


def static(name: str) -> str:
    """The path of a static file."""
    return f"{public_root()}/console/static/{_version(name)}/{name}"


@cache
def _names() -> frozenset[str]:
    return frozenset(file.name for file in (files("audience.console") / "static").iterdir() if file.is_file())


@cache
def _content(name: str) -> bytes:
    return (files("audience.console") / "static" / name).read_bytes()


@cache
def _compress(name: str) -> bytes:
    return gzip.compress(_content(name), mtime=0)


@cache
def _version(name: str) -> str:
    return hashlib.sha256(_content(name)).hexdigest()[:12]
