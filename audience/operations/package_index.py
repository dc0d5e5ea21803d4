"""Packages of the indexes that pip and npm are configured with, fetched over HTTPS as data.

Nothing is installed or run. A file is used only if it has the hash that its index states; every size is
bounded.
"""

import base64
import binascii
import hashlib
import hmac
import http.client
import json
import ssl
import time
import urllib.request
from collections.abc import Collection
from html.parser import HTMLParser
from typing import IO, Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit, urlunsplit

from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

from audience.errors import Refused
from audience.operations import package_archives
from audience.operations.index_settings import Index, npm_index, pip_indexes

PAGE_BYTES, ARCHIVE_BYTES = 2**25, 2**28
STEP_SECONDS, SECONDS = 30.0, 900.0  # without a byte; for one answer
CHUNK = 2**16
ALGORITHMS = frozenset({"sha256", "sha384", "sha512"})
FAULTS = (OSError, http.client.HTTPException, ValueError)

NO_PACKAGE = "The index on {host} has no package {name}: configure an index that has it."
REFUSED = "{host} answered with the status {status}: check the index's URL, and the user and password in it."
UNREACHABLE = "{host} cannot be reached: check the index's URL, its certificate and this machine's network."
AWAY = "{host} redirects to an address that is not HTTPS: configure another index."
TOO_LARGE = "{host} sends more than {limit:,} bytes for one file: nothing of it was used."
TOO_SLOW = "{host} did not send a file within {seconds:.0f} seconds: try again later."
NO_HASH = "The index on {host} states no SHA-2 hash of {label}: configure an index that does."
WRONG_HASH = "{label} does not have the hash that the index on {host} states: nothing of it was used."
NOT_A_PAGE = "The index on {host} does not answer for {name} as a package index does: check its URL."


class Package(NamedTuple):
    """A release of a package: its name, its version, and the requested files by path."""

    label: str
    files: dict[str, bytes]


class Release(NamedTuple):
    label: str
    url: str
    algorithm: str
    digest: bytes


def fetch(index: str, name: str, paths: Collection[str]) -> Package:
    """The files at `paths` in the newest release of a package of `pypi` or `npm`. Raises `Refused`."""
    source, release = _pypi_release(name) if index == "pypi" else _npm_release(name)
    if release.algorithm not in ALGORITHMS or not release.digest:
        raise Refused(NO_HASH.format(host=source.host, label=release.label))
    content = _get(source, release.url, ARCHIVE_BYTES)
    if not hmac.compare_digest(hashlib.new(release.algorithm, content).digest(), release.digest):
        raise Refused(WRONG_HASH.format(host=source.host, label=release.label))
    return Package(release.label, package_archives.read(release.label, content, paths))


def _npm_release(name: str) -> tuple[Index, Release]:
    """The newest release of a package in npm's index. Raises `Refused`."""
    index = npm_index(name)
    page = _page(index, index.url + quote(name, safe="@"))
    if page is None:
        raise Refused(NO_PACKAGE.format(host=index.host, name=name))
    try:
        described = json.loads(page)
        version = described["dist-tags"]["latest"]
        release = described["versions"][version]["dist"]
        algorithm, _, digest = release.get("integrity", "").partition("-")
        latest = Release(f"{name} {version}", release["tarball"], algorithm, base64.b64decode(digest))
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise Refused(NOT_A_PAGE.format(host=index.host, name=name)) from error
    return index, latest


def _pypi_release(name: str) -> tuple[Index, Release]:
    """The newest release of a package in the first index that has it. Raises `Refused` if none has."""
    indexes = pip_indexes()
    for index in indexes:
        url = f"{index.url}{quote(name)}/"
        page = _page(index, url)
        if page is not None:
            return index, _wheel(index, name, url, page)
    raise Refused(NO_PACKAGE.format(host=indexes[0].host, name=name))


def _wheel(index: Index, name: str, url: str, page: bytes) -> Release:
    """The newest wheel that a package's page links to. Raises `Refused` if there is none."""
    links = _Links()
    links.feed(page.decode("utf-8", "replace"))
    wheels = [(version, link) for link in links.found if (version := _version(link))]
    if not wheels:
        raise Refused(NOT_A_PAGE.format(host=index.host, name=name))
    version, link = max(wheels)
    file, fragment = urldefrag(urljoin(url, link))
    algorithm, _, digest = fragment.partition("=")
    try:
        return Release(f"{name} {version}", file, algorithm, binascii.unhexlify(digest))
    except ValueError as error:
        raise Refused(NOT_A_PAGE.format(host=index.host, name=name)) from error


class _Links(HTMLParser):
    """The links of a page, without withdrawn releases."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "a" and "data-yanked" not in attributes:
            self.found.append(attributes.get("href") or "")


def _version(link: str) -> Version | None:
    """The version of the wheel at a link; None for a pre-release or another file."""
    try:
        version = parse_wheel_filename(unquote(urlsplit(link).path.rpartition("/")[2]))[1]
    except (InvalidWheelFilename, ValueError):
        return None
    return None if version.is_prerelease else version


def _page(index: Index, url: str) -> bytes | None:
    """An index's page for a package; None if the index lacks the package."""
    try:
        return _get(index, url, PAGE_BYTES)
    except _Status as error:
        if error.status == 404:
            return None
        raise


class _Status(Refused):
    def __init__(self, host: str, status: int) -> None:
        super().__init__(REFUSED.format(host=host, status=status))
        self.status = status


def _get(index: Index, url: str, limit: int) -> bytes:
    """Downloads `url` through this machine's proxies. User and password go only to the index's own host."""
    parts = urlsplit(url)
    host = parts.hostname or index.host
    if parts.scheme != "https":
        raise Refused(AWAY.format(host=index.host))
    own, netloc = urlsplit(index.url), parts.netloc.rpartition("@")[2]
    request = urllib.request.Request(urlunsplit(parts._replace(netloc=netloc)))  # noqa: S310 - it is https
    if own.username and netloc == own.netloc.rpartition("@")[2]:
        pair = f"{unquote(own.username)}:{unquote(own.password or '')}".encode()
        request.add_unredirected_header("Authorization", f"Basic {base64.b64encode(pair).decode()}")
    try:
        context = ssl.create_default_context(cafile=index.authority or None)
        opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context), _OnlyHttps())
        with opener.open(request, timeout=STEP_SECONDS) as answer:
            return _download(answer, host, limit)
    except HTTPError as error:
        error.close()
        raise _Status(host, error.code) from error
    except FAULTS as error:
        raise Refused(UNREACHABLE.format(host=host)) from error


class _OnlyHttps(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], *rest: Any
    ) -> urllib.request.Request | None:
        if urlsplit(rest[-1]).scheme != "https":
            fp.close()
            raise Refused(AWAY.format(host=req.host))
        return super().redirect_request(req, fp, *rest)


def _download(answer: IO[bytes], host: str, limit: int) -> bytes:
    """The content of an answer. Raises `Refused` beyond `limit` bytes or `SECONDS`."""
    content, end = bytearray(), time.monotonic() + SECONDS
    while data := answer.read(CHUNK):
        content += data
        if len(content) > limit:
            raise Refused(TOO_LARGE.format(host=host, limit=limit))
        if time.monotonic() > end:
            raise Refused(TOO_SLOW.format(host=host, seconds=SECONDS))
    return bytes(content)
