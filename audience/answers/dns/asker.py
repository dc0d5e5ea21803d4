"""The network thread of a resolver."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import dns.exception
import dns.name
import dns.rdatatype

from audience.answers.dns.canaries import Canaries
from audience.answers.dns.responses import UNAVAILABLE, parse_response
from audience.answers.dns.transport import Server, Transport
from audience.protocols import DnsAnswer, DnsHealth

Question = tuple[str, dns.rdatatype.RdataType]


class Asker:
    """A thread with an event loop that sends DNS queries. It passes each answer, with its TTL in seconds, to
    `complete`. It passes the outcome of each examination of the servers to `learn`.
    """

    def __init__(
        self, complete: Callable[[Question, DnsAnswer, float], None], learn: Callable[[DnsHealth], None]
    ) -> None:
        self._complete = complete
        self._learn = learn
        self._loop = asyncio.new_event_loop()
        self._transport = Transport()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="dns", daemon=True)
        self._thread.start()

    def start(self, questions: Sequence[Question], servers: Sequence[Server], timeout: float) -> None:
        for question in questions:
            self._loop.call_soon_threadsafe(self._start, self._ask, question, servers, timeout)

    def examine(self, canaries: Canaries, servers: Sequence[Server], timeout: float) -> None:
        self._loop.call_soon_threadsafe(self._start, self._examine, canaries, servers, timeout)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        self._loop.run_forever()
        self._loop.run_until_complete(self._shut_down())
        self._loop.close()

    async def _shut_down(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._transport.close()

    def _start(self, work: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> None:
        task = self._loop.create_task(work(*arguments))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask(self, question: Question, servers: Sequence[Server], timeout: float) -> None:
        answer, ttl = UNAVAILABLE, 0.0
        try:
            name = dns.name.from_text(question[0])
            answer, ttl = parse_response(await self._transport.ask(name, question[1], servers, timeout))
        except (dns.exception.DNSException, UnicodeError):
            pass  # a malformed name or answer
        finally:
            self._complete(question, answer, ttl)

    async def _examine(self, canaries: Canaries, servers: Sequence[Server], timeout: float) -> None:
        health = DnsHealth.CUT_OFF
        try:
            health = await canaries.ask(self._transport, servers, timeout)
        finally:
            self._learn(health)
