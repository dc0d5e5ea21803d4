"""Runs a WSGI application (PEP 3333) on ASGI: bodies in the event loop, requests in threads.

We have our own, because asgiref runs all requests in one thread. a2wsgi passes on a body that broke off as if
it were whole.
"""

import asyncio
import logging
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from wsgiref.types import WSGIApplication

from audience.config import Settings
from audience.errors import AudienceError, where
from audience.protocols import REFUSAL, Admit
from audience.setting_values import without_mapping
from workers.web.body import Body
from workers.web.threads import Threads

MAX_WHOLE_BYTES = 2**16  # of a response that is sent at once; a longer one is streamed
STREAM_THREADS = 2  # hundreds of exports at once leave the interpreter to others
FAILED = b'{"error": "Unexpected error: send the request again."}'
TOO_OLD = b'{"error": "HTTP/1.0 cannot tell the end of this answer: send the request as HTTP/1.1."}'
PROTOCOLS = {"1": "HTTP/1.0", "1.1": "HTTP/1.1"}
JSON = [("Content-Type", "application/json")]

Environ = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

log = logging.getLogger(__name__)


@dataclass
class Response:
    """The application's response. `parts` are the chunks made so far; `rest`, if any, makes the others."""

    status: int = 500
    headers: list[tuple[str, str]] = field(default_factory=list)
    parts: list[bytes] = field(default_factory=list)
    rest: Iterator[bytes] | None = None
    close: Callable[[], None] | None = None

    def start(
        self, status: str, headers: list[tuple[str, str]], _exc_info: Any = None
    ) -> Callable[[bytes], Any]:
        self.status, self.headers = int(status[:3]), headers
        return self.parts.append

    def take(self, chunks: Iterator[bytes]) -> None:
        """Takes the application's chunks. Makes all now if the response's length is known."""
        if any(name.lower() == "content-length" for name, _ in self.headers):
            self.parts += chunks
        else:
            self.rest = chunks

    def begin(self) -> None:
        """Makes the first chunks of a response of unknown length, until they exceed `MAX_WHOLE_BYTES`."""
        size = 0
        for chunk in self.rest or ():
            self.parts.append(chunk)
            size += len(chunk)
            if size > MAX_WHOLE_BYTES:
                return
        self.rest = None


class Gateway:
    """An ASGI application (asgi.readthedocs.io, HTTP) that calls a WSGI application.

    `admit` is asked before a body is received: it returns how many bytes the client may send, or None. The
    application gets the whole body or none; `environ[REFUSAL]` is the reason for none.

    A thread is used only while the application computes, never while bytes are received or sent.
    """

    def __init__(
        self, application: WSGIApplication, admit: Admit, settings: Settings, threads: Threads
    ) -> None:
        self._application = application
        self._admit = admit
        self._settings = settings
        self._run = threads.run
        self._streams = ThreadPoolExecutor(STREAM_THREADS, "stream")

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        environ = self._environ(scope)
        with closing(Body(receive, environ, self._settings)) as body:
            if body.length != 0:
                await self._take(body, environ)
            environ["wsgi.input"] = body.file
            await self._respond(environ, receive, send)
            await body.discard()

    async def _take(self, body: Body, environ: Environ) -> None:
        max_bytes = await self._run(self._admit, environ)
        if max_bytes is not None:
            try:
                await body.take(max_bytes)
            except (AudienceError, OSError) as refusal:
                environ[REFUSAL] = refusal

    async def _respond(self, environ: Environ, receive: Receive, send: Send) -> None:
        """Has the application answer the request, and sends its response.

        Answers 500 if the application fails, and 505 if HTTP/1.0 has no way to receive a response of unknown
        length.
        """
        response = Response()
        try:
            await self._run(self._call, environ, response)
            if response.rest is not None:
                await self._run_stream(response.begin)
        except Exception as error:
            log.error("a request failed: %s", where(error))
            response = Response(500, JSON, [FAILED], close=response.close)
        if response.rest is not None and environ["SERVER_PROTOCOL"] == "HTTP/1.0":
            response = Response(505, JSON, [TOO_OLD], close=response.close)
        try:
            await send(
                {"type": "http.response.start", "status": response.status, "headers": _headers(response)}
            )
            body = b"".join(response.parts)
            if response.rest is None and len(body) <= MAX_WHOLE_BYTES:
                await send({"type": "http.response.body", "body": body})
            else:
                stream = response.rest and self._chunks(body, response.rest, receive)
                await self._stream(stream or _slices(body), send)
        finally:
            if response.close:
                await self._run(response.close)

    def _call(self, environ: Environ, response: Response) -> None:
        chunks = self._application(environ, response.start)
        response.close = getattr(chunks, "close", None)
        response.take(iter(chunks))

    async def _chunks(self, first: bytes, rest: Iterator[bytes], receive: Receive) -> AsyncGenerator[bytes]:
        """Yields the chunks of a response: `first`, then those of `rest`.

        Raises `BrokenPipeError` once the client has disconnected, so that no more are made.
        """
        leaving = asyncio.ensure_future(_wait_for_disconnect(receive))
        try:
            yield first
            while (chunk := await self._run_stream(next, rest, None)) is not None:
                if leaving.done():
                    raise BrokenPipeError
                yield chunk
        finally:
            leaving.cancel()

    async def _stream(self, chunks: AsyncGenerator[bytes], send: Send) -> None:
        """Sends the chunks, then the empty chunk that completes the response.

        Raises if the client disconnects or receives nothing for `body_timeout` seconds, or if the application
        fails. Without the empty chunk, the client does not take a part for the whole.
        """
        try:
            async with aclosing(chunks):
                async for chunk in chunks:
                    async with asyncio.timeout(self._settings.body_timeout):
                        await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except BaseException as error:
            log.warning("a response was not read to its end: %s", where(error))
            raise

    def _run_stream(self, function: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(self._streams, function, *arguments)

    def _environ(self, scope: Mapping[str, Any]) -> Environ:
        """The WSGI environ of a request. Joins repeated headers; drops those with an underscore."""
        (server, server_port), (client, client_port) = scope["server"], scope["client"]
        environ = {
            "SERVER_PROTOCOL": PROTOCOLS[scope["http_version"]],
            "SERVER_NAME": server,
            "SERVER_PORT": str(server_port),
            "REMOTE_ADDR": without_mapping(client),
            "REMOTE_PORT": str(client_port),
            "REQUEST_METHOD": scope["method"],
            "SCRIPT_NAME": "",
            "PATH_INFO": scope["path"].encode().decode("latin-1"),
            "QUERY_STRING": scope["query_string"].decode("latin-1"),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": scope["scheme"],
            "wsgi.errors": sys.stderr,
            "wsgi.input_terminated": True,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }
        for name, value in scope["headers"]:
            key = _key(name)
            text = value.decode("latin-1")
            if key in environ:
                text = f"{environ[key]}{'; ' if key == 'HTTP_COOKIE' else ','}{text}"
            environ[key] = text
        environ.pop("", None)
        return environ


@lru_cache(maxsize=256)
def _key(name: bytes) -> str:
    """The key of a header in the WSGI environ; "" for one with an underscore, which could fake another."""
    key = "" if b"_" in name else name.decode("latin-1").upper().replace("-", "_")
    return key if key in ("", "CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"


async def _slices(body: bytes) -> AsyncGenerator[bytes]:
    for start in range(0, len(body), MAX_WHOLE_BYTES):
        yield body[start : start + MAX_WHOLE_BYTES]


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _headers(response: Response) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.headers]
