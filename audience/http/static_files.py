"""The static files of the pages. Browsers keep one for a year under a URL with the hash of its content."""

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from flask import Response, request

from audience.errors import NotFound
from audience.http.pages import packable, public_root

ONE_YEAR = "public, max-age=31536000, immutable"
PACKED = frozenset({"text/css", "text/javascript", "image/svg+xml"})
NOTHING = "There is nothing here."
HASH_LENGTH = 12


class StaticFile(NamedTuple):
    content: bytes
    gzipped: bytes
    version: str


@dataclass(frozen=True)
class StaticFolder:
    """The folder `static` of a package, whose files are served below `path`."""

    package: str
    path: str

    def url(self, name: str) -> str:
        return f"{public_root()}{self.path}/{name}?v={_read(self.package)[name].version}"

    def serve(self, name: str) -> Response:
        """The response with a file. Raises `NotFound`."""
        if name not in _read(self.package):
            raise NotFound(NOTHING)
        file, kind = _read(self.package)[name], mimetypes.guess_type(name)[0] or "application/octet-stream"
        packed = packable(file.content, file.gzipped, kind) if kind in PACKED else None
        return kept_by_version(packed or Response(file.content, mimetype=kind), file.version)


@cache
def _read(package: str) -> dict[str, StaticFile]:
    contents = {file.name: file.read_bytes() for file in (files(package) / "static").iterdir()}
    return {
        name: StaticFile(content, gzip.compress(content, mtime=0), version(content))
        for name, content in contents.items()
    }


def version(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:HASH_LENGTH]


def kept_by_version(response: Response, content_version: str) -> Response:
    """Lets browsers keep a response for a year if `v` in the URL is the version of its content."""
    if request.args.get("v") == content_version:
        response.headers["Cache-Control"] = ONE_YEAR
    return response
