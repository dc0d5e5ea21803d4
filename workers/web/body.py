"""A request's body, which the event loop receives as a whole before the application is called."""

import asyncio
import io
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from audience.config import Settings
from audience.errors import NotUnderstood, TooLarge, TooLate
from schemas.codes import Code, Sentence

MAX_MEMORY_BYTES = 2**20  # a larger body is in a file that has no name
WRITTEN_AT_ONCE = 2**18  # bytes: each turn of a thread costs more than its copy
MAX_DISCARDS = 32  # bodies at once, per process
DISCARD_SECONDS = 5.0
INCOMPLETE = Sentence(Code.BODY_INCOMPLETE, "The body is incomplete: send it again.")


class Body:
    """The body of a request. `length` is the declared number of bytes, None if chunked.

    `received` is the number of bytes that came so far. `file` contains the stored bytes.
    """

    discards = asyncio.Semaphore(MAX_DISCARDS)

    def __init__(
        self,
        receive: Callable[[], Awaitable[Mapping[str, Any]]],
        environ: Mapping[str, Any],
        settings: Settings,
    ) -> None:
        self._receive = receive
        self._expects = "HTTP_EXPECT" in environ
        self._settings = settings
        self._begun = self._ended = False
        self.length = None if "HTTP_TRANSFER_ENCODING" in environ else int(environ.get("CONTENT_LENGTH") or 0)
        self.received = 0
        self._pieces, self._waiting = list[bytes](), 0  # pieces that are not in the file yet, and their bytes
        self.file: Any = io.BytesIO()

    def close(self) -> None:
        self.file.close()

    async def take(self, max_bytes: int) -> None:
        """Receives the whole body into `file`, in `body_timeout` seconds, and as many again for every
        `max_body_bytes` received.

        Raises `TooLarge` beyond `max_bytes`, `TooLate` beyond the time, `NotUnderstood` if the client
        disconnects before the end, and `OSError` if the body cannot be stored.
        """
        folder = str(self._settings.instance)
        self.file = tempfile.SpooledTemporaryFile(MAX_MEMORY_BYTES, dir=folder)  # noqa: SIM115 - see `close`
        start = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(None) as deadline:
                while not self._ended:
                    units = 1 + self.received // self._settings.max_body_bytes
                    deadline.reschedule(start + self._settings.body_timeout * units)
                    await self._store(await self._next(), max_bytes)
        except TimeoutError as error:
            raise TooLate from error
        self.file.seek(0)

    async def discard(self) -> None:
        """Receives and drops the rest of a body, at most `max_body_bytes`: a client that is still sending
        would otherwise miss the response.

        Does nothing if the client waits for `100 Continue`, and so sends none, or if too many bodies are
        being dropped.
        """
        if self.length == 0 or self._ended or (self._expects and not self._begun) or Body.discards.locked():
            return
        limit = self.received + self._settings.max_body_bytes
        async with Body.discards:
            with suppress(TimeoutError, NotUnderstood):
                async with asyncio.timeout(DISCARD_SECONDS):
                    while not self._ended and self.received < limit:
                        await self._next()

    async def _next(self) -> bytes:
        """The next chunk of the body. Raises `NotUnderstood` if the client has disconnected."""
        self._begun = True
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._ended = True
            raise NotUnderstood(INCOMPLETE)
        chunk: bytes = message["body"]
        self.received += len(chunk)
        self._ended = not message["more_body"]
        return chunk

    async def _store(self, chunk: bytes, max_bytes: int) -> None:
        """Stores a chunk, at first in memory, later several at once in the file.

        Raises `TooLarge` beyond `max_bytes`.
        """
        if self.received > max_bytes:
            raise TooLarge
        if self.received <= MAX_MEMORY_BYTES:
            self.file.write(chunk)
            return
        self._pieces.append(chunk)
        self._waiting += len(chunk)
        if self._ended or self._waiting >= WRITTEN_AT_ONCE:
            chunks, self._pieces, self._waiting = self._pieces, [], 0
            await asyncio.to_thread(self.file.writelines, chunks)
