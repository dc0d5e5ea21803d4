"""The real `audience.ports.Resolver`: asks recursive resolvers, all at once, and remembers their answers."""

import asyncio
import concurrent.futures
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Sequence

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

from audience.checks.dns_cache import Cache
from audience.checks.dns_transport import Server, Transport, parse_server
from audience.ports import DnsAnswer, DnsStatus

UNAVAILABLE = DnsAnswer(DnsStatus.UNAVAILABLE)
CUT_OFF = (DnsAnswer(DnsStatus.NXDOMAIN), DnsAnswer(DnsStatus.SERVFAIL))
SERVFAIL_TTL = 5.0  # RFC 2308 section 7.1 allows five minutes; a server that restarts needs seconds
SYSTEM = "/etc/resolv.conf"

Question = tuple[str, dns.rdatatype.RdataType]
ROOT: Question = ("", dns.rdatatype.NS)
Flight = concurrent.futures.Future[DnsAnswer]


class DnsResolver:
    """Safe to share between threads and to construct before a fork: the thread that talks to the network
    starts with the first question, in the process that asks it.

    `servers` are `ADDRESS`, `ADDRESS:PORT` or `[IPV6]:PORT`; none means those of the system, read again when
    its file changes, and where it names none every answer is `UNAVAILABLE`. So is every NXDOMAIN and SERVFAIL
    while the root of the DNS gets the same: then the servers are cut off, and say so of whatever they are
    asked. `timeout` in seconds. Raises `SettingError` for a server that cannot be read."""

    def __init__(
        self,
        servers: Sequence[str] = (),
        timeout: float = 2.0,
        cache_size: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
        system: str = SYSTEM,
    ) -> None:
        self._named = tuple(parse_server(server) for server in servers)
        self._timeout = timeout
        self._cache_size = cache_size
        self._clock = clock
        self._system = SystemServers(system)
        self._start_afresh()
        resolvers.add(self)

    def ask(self, questions: Sequence[tuple[str, str]], timeout: float | None = None) -> list[DnsAnswer]:
        """See `audience.ports.Resolver`. A name that the DNS cannot hold is `UNAVAILABLE`."""
        keys = [(name.removesuffix(".").lower(), dns.rdatatype.from_text(kind)) for name, kind in questions]
        known, flights = self._board(dict.fromkeys([*keys, ROOT]))
        concurrent.futures.wait(flights.values(), self._timeout if timeout is None else timeout)
        known |= {key: flight.result() for key, flight in flights.items() if flight.done()}
        if known.get(ROOT) in CUT_OFF:
            known = {key: UNAVAILABLE if answer in CUT_OFF else answer for key, answer in known.items()}
        return [known.get(key, UNAVAILABLE) for key in keys]

    def close(self) -> None:
        """Ends the thread and closes its sockets; nothing is to be asked afterwards."""
        if self._asker is not None:
            self._asker.stop()

    def _start_afresh(self) -> None:
        """Also in a child process: it has none of its parent's threads, whose locks stay held for ever."""
        self._lock = threading.Lock()
        self._cache = Cache(self._cache_size, self._clock)
        self._flights: dict[Question, Flight] = {}
        self._asker: Asker | None = None

    def _board(self, keys: Iterable[Question]) -> tuple[dict[Question, DnsAnswer], dict[Question, Flight]]:
        """What is known already, and the flights of the rest: one a question, whoever asks."""
        known: dict[Question, DnsAnswer] = {}
        flights: dict[Question, Flight] = {}
        fresh: list[Question] = []
        with self._lock:
            for key in keys:
                answer = self._cache.get(key)
                if answer is not None:
                    known[key] = answer
                    continue
                if key not in self._flights:
                    self._flights[key] = Flight()
                    fresh.append(key)
                flights[key] = self._flights[key]
            if fresh:
                self._asker = self._asker or Asker(self._settle)
                self._asker.start(fresh, self._named or self._system.read(), self._timeout)
        return known, flights

    def _settle(self, key: Question, answer: DnsAnswer, ttl: float) -> None:
        with self._lock:
            self._cache.put(key, answer, ttl)
            flight = self._flights.pop(key)
        flight.set_result(answer)


resolvers: "weakref.WeakSet[DnsResolver]" = weakref.WeakSet()


def _forget_parent() -> None:
    for resolver in resolvers:
        resolver._start_afresh()


os.register_at_fork(after_in_child=_forget_parent)


class Asker:
    """A thread with an event loop that asks questions and hands each answer to `settle`, with the seconds
    that it may be kept."""

    def __init__(self, settle: Callable[[Question, DnsAnswer, float], None]) -> None:
        self._settle = settle
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
        self._loop.run_until_complete(self._leave())
        self._loop.close()

    async def _leave(self) -> None:
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
            answer, ttl = read(await self._transport.ask(name, question[1], servers, timeout))
        except (dns.exception.DNSException, UnicodeError):
            pass  # a name that cannot be asked, or an answer that makes no sense
        finally:
            self._settle(question, answer, ttl)


class SystemServers:
    """The resolvers that the system's file names."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._changed = -1
        self._servers: tuple[Server, ...] = ()

    def read(self) -> tuple[Server, ...]:
        """Empty when the file is missing or names none."""
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


def read(message: dns.message.Message | None) -> tuple[DnsAnswer, float]:
    """What an answer says, and for how many seconds (negative ones by the SOA's minimum, RFC 2308). An answer
    that is neither recursive nor authoritative is a referral: it says nothing. Raises `DNSException`."""
    if message is None:
        return UNAVAILABLE, 0.0
    if message.rcode() == dns.rcode.SERVFAIL:
        return DnsAnswer(DnsStatus.SERVFAIL), SERVFAIL_TTL
    if not isinstance(message, dns.message.QueryMessage) or not message.flags & (dns.flags.RA | dns.flags.AA):
        return UNAVAILABLE, 0.0
    chain = message.resolve_chaining()
    if chain.answer is not None:
        return DnsAnswer(DnsStatus.OK, tuple(present(rdata) for rdata in chain.answer)), chain.minimum_ttl
    if message.rcode() == dns.rcode.NXDOMAIN:
        return DnsAnswer(DnsStatus.NXDOMAIN), chain.minimum_ttl
    return DnsAnswer(DnsStatus.NO_DATA), chain.minimum_ttl


def present(rdata: dns.rdata.Rdata) -> str:
    """A record as `audience.ports.DnsAnswer` shows it."""
    if isinstance(rdata, MX):
        return f"{rdata.preference} {rdata.exchange.to_text(omit_final_dot=True)}"
    if isinstance(rdata, TXT):
        return b"".join(rdata.strings).decode("utf-8", "replace")
    return rdata.to_text().removesuffix(".")
