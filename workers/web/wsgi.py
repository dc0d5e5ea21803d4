"""Runs a WSGI application (PEP 3333) on granian's RSGI requests, in granian's own thread pool.

granian's own WSGI has no deadline for a request body (its `read` blocks forever), and its environ lacks the
client's port. An RSGI request can be read with a deadline, at the same cost.
"""

import io
import itertools
import logging
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any
from wsgiref.types import WSGIApplication

from audience.errors import is_disk_fault, where
from workers.web import streaming_response

MAX_BUFFERED_BYTES = 2**20  # of an answer with a Content-Length; a longer one goes through a file
MAX_UNSIZED_BYTES = 2**16  # of an answer without one; a longer one is streamed
FILE_OPEN_SECONDS = 30.0  # how long granian may take to open that file
MAX_DISCARDS = 32  # threads that may be reading unwanted bodies at once
DISCARD_SECONDS, DISCARD_PAUSE_SECONDS = 5.0, 0.5
MAX_HEADER_NAMES = 256
PROTOCOLS = {"1": "HTTP/1.0", "1.1": "HTTP/1.1"}
JSON = ("content-type", "application/json")
FAILED = 500, [JSON], '{"error": "Unexpected error: send the request again."}'
FULL = '{"error": "The disk of the service is full or faulty: send the request again in a while."}'
FAULTY_DISK = 503, [JSON, ("retry-after", "5")], FULL

log = logging.getLogger(__name__)


class Gateway:
    """Called with each request, in a thread of its own.

    A request body must arrive within `body_timeout` seconds, plus as many for every `body_unit` bytes
    received. A response is sent when it is complete, so a slow client holds no thread and never takes a
    partial response for a whole one. Only a long response without a Content-Length is streamed, and each of
    its chunks must be read within `body_timeout` seconds.
    """

    def __init__(self, application: WSGIApplication, body_timeout: float, body_unit: int) -> None:
        self._application = application
        self._body_timeout = body_timeout
        self._body_unit = body_unit
        self._header_names: dict[str, str] = {}
        self._discards = threading.BoundedSemaphore(MAX_DISCARDS)

    def __call__(self, watcher: Any) -> None:
        try:
            self._respond(watcher.scope, watcher.proto)
        except Exception as error:
            log.error("a request failed: %s", where(error))
            watcher.proto.response_str(*(FAULTY_DISK if is_disk_fault(error) else FAILED))
        watcher.done()

    def _respond(self, scope: Any, proto: Any) -> None:
        environ = self.environ(scope)
        body = Body(proto, _length(environ), self._body_timeout, self._body_unit)
        environ["wsgi.input"] = io.BufferedReader(body)
        client = (environ["REMOTE_ADDR"], int(environ["REMOTE_PORT"] or 0))
        start = StartResponse(client, self._body_timeout)
        chunks = self._application(environ, start)
        try:
            start.send(proto, iter(chunks))
        finally:
            if hasattr(chunks, "close"):
                chunks.close()
        if "HTTP_EXPECT" not in environ and self._discards.acquire(blocking=False):
            try:
                body.discard(self._body_unit)
            finally:
                self._discards.release()

    def environ(self, scope: Any) -> dict[str, Any]:
        server, _, server_port = scope.server.rpartition(":")
        client, _, client_port = scope.client.rpartition(":")
        environ = {
            "SERVER_PROTOCOL": PROTOCOLS[scope.http_version],
            "SERVER_NAME": server.strip("[]"),
            "SERVER_PORT": server_port,
            "REMOTE_ADDR": client.strip("[]"),
            "REMOTE_PORT": client_port,
            "REQUEST_METHOD": scope.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": scope.path.encode().decode("latin-1"),
            "QUERY_STRING": scope.query_string.encode().decode("latin-1"),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": scope.scheme,
            "wsgi.errors": sys.stderr,
            "wsgi.input_terminated": True,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }
        for name, value in scope.headers.items():
            key = self._header_names.get(name)
            if key is None:
                key = self._name_header(name)
            if key in environ:
                value = f"{environ[key]}{'; ' if name == 'cookie' else ','}{value}"
            if key:
                environ[key] = value
        return environ

    def _name_header(self, name: str) -> str:
        """The environ key of a header; "" for a name with an underscore, which could pose as another."""
        key = "" if "_" in name else name.upper().replace("-", "_")
        if key and key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            key = f"HTTP_{key}"
        if len(self._header_names) < MAX_HEADER_NAMES:
            self._header_names[name] = key
        return key


class Body(io.RawIOBase):
    """A request body of `length` bytes, or a chunked one if `length` is None. Reading raises `TimeoutError`
    at the deadline, and `ConnectionError` if the client disconnects before the end."""

    def __init__(self, proto: Any, length: int | None, timeout: float, unit: int) -> None:
        self._chunks = proto
        self._length = length
        self._timeout = timeout
        self._unit = unit
        self._start = time.monotonic()
        self._received = 0
        self._chunk = memoryview(b"")
        self._begun = False
        self._ended = length == 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._chunk:
            self._chunk = memoryview(self._next())
        target = memoryview(buffer)
        size = min(len(target), len(self._chunk))
        target[:size] = self._chunk[:size]
        self._chunk = self._chunk[size:]
        return size

    def discard(self, max_bytes: int) -> None:
        """Reads and drops up to `max_bytes`: a client that is still sending would miss the response."""
        limit, until = self._received + max_bytes, time.monotonic() + DISCARD_SECONDS
        with suppress(TimeoutError):
            while not self._ended and self._received != self._length and self._received < limit:
                self._ended = not self._receive(min(until, time.monotonic() + DISCARD_PAUSE_SECONDS))

    def _next(self) -> bytes:
        chunk = None if self._ended else self._receive(self._deadline())
        if chunk:
            return chunk
        if not self._ended:
            self._end()
        return b""

    def _end(self) -> None:
        """granian yields an empty chunk at the end of a body, and a second one if the connection broke."""
        self._ended = True
        whole = (
            self._receive(self._deadline()) is None
            if self._length is None
            else self._received >= self._length
        )
        if not whole:
            raise ConnectionError("the client disconnected before the end of the body")

    def _receive(self, deadline: float) -> bytes | None:
        """The next chunk; None after the last."""
        if not self._begun:
            self._begun = True
            self._chunks = aiter(self._chunks)
        try:
            future = anext(self._chunks)
        except StopAsyncIteration:
            return None
        arrived = threading.Lock()
        arrived.acquire()
        future.add_done_callback(lambda _: arrived.release(), context=None)
        if not arrived.acquire(timeout=max(0.0, deadline - time.monotonic())):
            self._ended = True
            future.cancel()
            raise TimeoutError("the body did not arrive in time")
        chunk: bytes = future.result()
        self._received += len(chunk)
        return chunk

    def _deadline(self) -> float:
        return self._start + self._timeout * (1 + self._received // self._unit)


class StartResponse:
    """The `start_response` of one request, which also sends the response."""

    def __init__(self, client: tuple[str, int], timeout: float) -> None:
        self._client = client
        self._timeout = timeout
        self.status = 500
        self.headers: list[tuple[str, str]] = []
        self.written: list[bytes] = []

    def __call__(
        self, status: str, headers: list[tuple[str, str]], _exc_info: Any = None
    ) -> Callable[..., None]:
        self.status = int(status[:3])
        self.headers = headers
        return self.written.append

    def send(self, proto: Any, chunks: Iterator[bytes]) -> None:
        parts = self.written
        size = 0
        known = any(name.lower() == "content-length" for name, _ in self.headers)
        for chunk in chunks:
            parts.append(chunk)
            size += len(chunk)
            if size > (MAX_BUFFERED_BYTES if known else MAX_UNSIZED_BYTES):
                response = itertools.chain(parts, chunks)
                if known:
                    self._send_file(proto, response)
                else:
                    streaming_response.send(
                        proto, self.status, self.headers, response, self._client, self._timeout
                    )
                return
        proto.response_bytes(self.status, self.headers, b"".join(parts))

    def _send_file(self, proto: Any, chunks: Iterable[bytes]) -> None:
        """Through an unnamed file, which the system deletes however the process ends."""
        file = tempfile.TemporaryFile()  # noqa: SIM115 - must stay open until granian has opened it
        file.writelines(chunks)
        size = file.tell()
        file.seek(0)
        headers = [(name, value) for name, value in self.headers if name.lower() != "content-length"]
        proto.response_file(
            self.status, [*headers, ("content-length", str(size))], f"/dev/fd/{file.fileno()}"
        )
        closer = threading.Timer(FILE_OPEN_SECONDS, file.close)
        closer.daemon = True
        closer.start()


def _length(environ: dict[str, Any]) -> int | None:
    if "HTTP_TRANSFER_ENCODING" in environ:
        return None
    return int(environ.get("CONTENT_LENGTH") or 0)
