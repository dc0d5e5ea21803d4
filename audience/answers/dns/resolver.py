"""The DNS resolver: sends queries to recursive resolvers in parallel, and caches the answers."""

import asyncio
import concurrent.futures
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdata
import dns.rdatatype
import dns.resolver
from dns.rdtypes.ANY.MX import MX
from dns.rdtypes.ANY.TXT import TXT

from audience.answers.dns.cache import Cache
from audience.answers.dns.transport import Server, Transport, parse_server
from audience.protocols import DnsAnswer, DnsStatus

UNAVAILABLE = DnsAnswer(DnsStatus.UNAVAILABLE)
CUT_OFF = (DnsAnswer(DnsStatus.NXDOMAIN), DnsAnswer(DnsStatus.SERVFAIL))
SERVFAIL_TTL = 5.0  # RFC 2308 section 7.1 allows five minutes; a server that restarts needs seconds
SYSTEM = "/etc/resolv.conf"

Question = tuple[str, dns.rdatatype.RdataType]
ROOT: Question = ("", dns.rdatatype.NS)
PendingAnswer = concurrent.futures.Future[DnsAnswer]


class DnsResolver:
    """Implements `audience.protocols.Resolver`. Safe to share between threads, and to create before a fork:
    its network thread starts with the first query, in the process that sends it.

    `servers` are `ADDRESS`, `ADDRESS:PORT` or `[IPV6]:PORT`; by default those of /etc/resolv.conf, read again
    when it changes. Without a server every answer is `UNAVAILABLE`. So is every NXDOMAIN and SERVFAIL while
    the query for the root gets the same: the servers are then cut off from the DNS. `timeout` is in seconds.
    Raises `SettingError` for a malformed server.
    """

    def __init__(
        self,
        servers: Sequence[str] = (),
        timeout: float = 2.0,
        cache_size: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
        system: str = SYSTEM,
    ) -> None:
        self._configured = tuple(parse_server(server) for server in servers)
        self._timeout = timeout
        self._cache_size = cache_size
        self._clock = clock
        self._system = SystemServers(system)
        self.reset()
        _resolvers.add(self)
        _reset_after_fork()

    def ask(self, questions: Sequence[tuple[str, str]], timeout: float | None = None) -> list[DnsAnswer]:
        """As `audience.protocols.Resolver`. A malformed name is `UNAVAILABLE`."""
        keys = [(name.removesuffix(".").lower(), dns.rdatatype.from_text(kind)) for name, kind in questions]
        known, pending = self._join_or_ask(dict.fromkeys([*keys, ROOT]))
        concurrent.futures.wait(pending.values(), self._timeout if timeout is None else timeout)
        known |= {key: future.result() for key, future in pending.items() if future.done()}
        if known.get(ROOT) in CUT_OFF:
            known = {key: UNAVAILABLE if answer in CUT_OFF else answer for key, answer in known.items()}
        return [known.get(key, UNAVAILABLE) for key in keys]

    def close(self) -> None:
        """Stops the thread and closes its sockets, permanently."""
        if self._asker is not None:
            self._asker.stop()

    def reset(self) -> None:
        """Starts afresh, as a forked child must: its parent's threads never release their locks in it."""
        self._lock = threading.Lock()
        self._cache = Cache(self._cache_size, self._clock)
        self._pending: dict[Question, PendingAnswer] = {}
        self._asker: Asker | None = None

    def _join_or_ask(
        self, keys: Iterable[Question]
    ) -> tuple[dict[Question, DnsAnswer], dict[Question, PendingAnswer]]:
        """The cached answers, and the pending ones: one query per question, however many threads ask it."""
        known: dict[Question, DnsAnswer] = {}
        pending: dict[Question, PendingAnswer] = {}
        new: list[Question] = []
        with self._lock:
            for key in keys:
                answer = self._cache.get(key)
                if answer is not None:
                    known[key] = answer
                    continue
                if key not in self._pending:
                    self._pending[key] = PendingAnswer()
                    new.append(key)
                pending[key] = self._pending[key]
            if new:
                self._asker = self._asker or Asker(self._complete)
                self._asker.start(new, self._configured or self._system.read(), self._timeout)
        return known, pending

    def _complete(self, key: Question, answer: DnsAnswer, ttl: float) -> None:
        with self._lock:
            self._cache.put(key, answer, ttl)
            future = self._pending.pop(key)
        future.set_result(answer)


_resolvers: "weakref.WeakSet[DnsResolver]" = weakref.WeakSet()


@cache
def _reset_after_fork() -> None:
    """Registers once, with the first resolver."""
    os.register_at_fork(after_in_child=_reset_all)


def _reset_all() -> None:
    for resolver in _resolvers:
        resolver.reset()


class Asker:
    """A thread with an event loop that sends queries, and passes each answer with its TTL in seconds to
    `complete`."""

    def __init__(self, complete: Callable[[Question, DnsAnswer, float], None]) -> None:
        self._complete = complete
        self._loop = asyncio.new_event_loop()
        self._transport = Transport()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="dns", daemon=True)
        self._thread.start()

    def start(self, questions: Sequence[Question], servers: Sequence[Server], timeout: float) -> None:
        self._loop.call_soon_threadsafe(self._start, questions, servers, timeout)

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

    def _start(self, questions: Sequence[Question], servers: Sequence[Server], timeout: float) -> None:
        for question in questions:
            task = self._loop.create_task(self._ask(question, servers, timeout))
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


class SystemServers:
    """The recursive resolvers in /etc/resolv.conf."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._changed = -1
        self._servers: tuple[Server, ...] = ()

    def read(self) -> tuple[Server, ...]:
        """Empty if the file is missing or lists none."""
        try:
            changed = os.stat(self._path).st_mtime_ns
        except OSError:
            return ()
        if changed != self._changed:
            self._servers, self._changed = self._parse(), changed
        return self._servers

    def _parse(self) -> tuple[Server, ...]:
        resolver = dns.resolver.Resolver(configure=False)
        try:
            resolver.read_resolv_conf(self._path)
        except (dns.exception.DNSException, ValueError):
            return ()
        return tuple(Server(str(address)) for address in resolver.nameservers)


def parse_response(message: dns.message.Message | None) -> tuple[DnsAnswer, float]:
    """The answer and its TTL in seconds (of a negative one the SOA's minimum, RFC 2308). A referral, neither
    recursive nor authoritative, is `UNAVAILABLE`. Raises `DNSException`."""
    if message is None:
        return UNAVAILABLE, 0.0
    if message.rcode() == dns.rcode.SERVFAIL:
        return DnsAnswer(DnsStatus.SERVFAIL), SERVFAIL_TTL
    if not isinstance(message, dns.message.QueryMessage) or not message.flags & (dns.flags.RA | dns.flags.AA):
        return UNAVAILABLE, 0.0
    chain = message.resolve_chaining()
    if chain.answer is not None:
        return DnsAnswer(
            DnsStatus.OK, tuple(format_record(rdata) for rdata in chain.answer)
        ), chain.minimum_ttl
    if message.rcode() == dns.rcode.NXDOMAIN:
        return DnsAnswer(DnsStatus.NXDOMAIN), chain.minimum_ttl
    return DnsAnswer(DnsStatus.NO_DATA), chain.minimum_ttl


def format_record(rdata: dns.rdata.Rdata) -> str:
    """A record in the form of `audience.protocols.DnsAnswer`."""
    if isinstance(rdata, MX):
        return f"{rdata.preference} {rdata.exchange.to_text(omit_final_dot=True)}"
    if isinstance(rdata, TXT):
        return b"".join(rdata.strings).decode("utf-8", "replace")
    return rdata.to_text().removesuffix(".")
