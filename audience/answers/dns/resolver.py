"""The DNS resolver: queries recursive resolvers in parallel, caches the answers, and examines the servers."""

import asyncio
import concurrent.futures
import math
import os
import threading
import time
import weakref
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import dns.exception
import dns.name
import dns.rdatatype
import dns.resolver

from audience import telemetry
from audience.answers.dns.cache import Cache
from audience.answers.dns.canaries import Canaries
from audience.answers.dns.responses import UNAVAILABLE, counts_against, parse_response
from audience.answers.dns.transport import Server, Transport, parse_server
from audience.errors import ServiceUnavailable
from audience.protocols import DnsAnswer, DnsHealth, Gate
from schemas.codes import Code, Sentence

SYSTEM = "/etc/resolv.conf"
HEALTH_TIMEOUT_SECONDS = 2.0
HEALTH_SECONDS = 30.0  # that an outcome of the canaries holds, and an answer that they vouch for is cached

BUSY = Sentence(Code.BUSY, "Too many requests are waiting for the DNS: send the request again in a moment.")
NO_CANARIES = Canaries()
Question = tuple[str, dns.rdatatype.RdataType]
PendingAnswer = concurrent.futures.Future[DnsAnswer]
T = TypeVar("T")


class DnsResolver:
    """Implements `audience.protocols.Resolver`. It may be shared by threads, and made before a fork: its
    network thread starts with the first query, in the process that sends it.

    `servers` are `ADDRESS`, `ADDRESS:PORT` or `[IPV6]:PORT`. By default they are those of /etc/resolv.conf,
    which is read again when it changes. Without a server every answer is `UNAVAILABLE`.

    `canaries` decide whether it works; without canaries, it counts as working. `timeout` is in seconds, and
    `gate` limits the threads that wait. Raises `SettingError` for a malformed server.
    """

    def __init__(
        self,
        servers: Sequence[str] = (),
        timeout: float = 2.0,
        cache_size: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
        system: str = SYSTEM,
        canaries: Canaries = NO_CANARIES,
        gate: Gate | None = None,
    ) -> None:
        self._configured = tuple(parse_server(server) for server in servers)
        self._timeout = timeout
        self._cache_size = cache_size
        self._clock = clock
        self._system = SystemServers(system)
        self._canaries = canaries
        self._gate = gate
        self.reset()
        _resolvers.add(self)
        _reset_after_fork()

    def reset(self) -> None:
        """Forgets everything, and makes new locks. A forked child must call this: locks that threads of its
        parent held are never released in it.
        """
        self._lock = threading.Lock()
        self._cache = Cache(self._cache_size, self._clock)
        self._pending: dict[Question, PendingAnswer] = {}
        self._network: Network | None = None
        self._health = DnsHealth.WORKS
        self._health_until = -math.inf
        self._doubted: dict[str, float] = {}
        self._examining: concurrent.futures.Future[DnsHealth] | None = None

    def ask(self, questions: Sequence[tuple[str, str]], timeout: float | None = None) -> list[DnsAnswer]:
        """Implements `audience.protocols.Resolver.ask`. The answer for a malformed name is `UNAVAILABLE`."""
        keys = [(name.removesuffix(".").lower(), dns.rdatatype.from_text(kind)) for name, kind in questions]
        known, pending = self._join_or_ask(dict.fromkeys(keys))
        if pending:
            self._wait(pending, self._timeout if timeout is None else timeout)
        known |= {key: future.result() for key, future in pending.items() if future.done()}
        return [known.get(key, UNAVAILABLE) for key in keys]

    def _wait(self, pending: Mapping[Question, PendingAnswer], timeout: float) -> None:
        """Waits for pending answers, for `timeout` seconds at most. If too many threads wait already, raises
        `ServiceUnavailable` at once.
        """
        if self._gate is not None and not self._gate.enter():
            raise ServiceUnavailable(BUSY)
        try:
            concurrent.futures.wait(pending.values(), timeout)
        finally:
            if self._gate is not None:
                self._gate.leave()

    def health(self, denied: str = "", well_known: bool = False) -> DnsHealth:
        """Implements `audience.protocols.Resolver.health`, within two seconds. All threads that wait for it
        share one examination of the canaries, whose answers never come from the cache.
        """
        timeout = min(self._timeout, HEALTH_TIMEOUT_SECONDS)
        with self._lock:
            if well_known or denied in self._canaries.mail_domains:
                self._doubt(denied)
            if self._clock() < self._health_until:
                return self._health
            if self._examining is None:
                self._examining = self._open_network().run(self._examine(self._servers(), timeout))
            examining = self._examining
        concurrent.futures.wait([examining], timeout)
        return examining.result() if examining.done() else DnsHealth.CUT_OFF

    def _doubt(self, denied: str) -> None:
        """Lets the canaries be asked again although they worked recently, because the domain `denied` was
        denied. Does so once in `HEALTH_SECONDS` for each domain.
        """
        if not self._is_in_trouble() and self._doubted.get(denied, -math.inf) <= self._clock():
            self._doubted[denied] = self._clock() + HEALTH_SECONDS
            self._health_until = -math.inf

    def close(self) -> None:
        """Stops the network thread and closes its sockets. The resolver cannot be used afterwards."""
        if self._network is not None:
            self._network.stop()

    def _join_or_ask(
        self, keys: Iterable[Question]
    ) -> tuple[dict[Question, DnsAnswer], dict[Question, PendingAnswer]]:
        """The answers that are cached, and futures for all others. Sends a query only for a question that no
        thread has asked yet.
        """
        known: dict[Question, DnsAnswer] = {}
        pending: dict[Question, PendingAnswer] = {}
        with self._lock:
            for key in keys:
                answer = self._cache.get(key)
                if answer is not None:
                    known[key] = answer
                    continue
                if key not in self._pending:
                    self._pending[key] = self._open_network().run(self._query(key, self._servers()))
                pending[key] = self._pending[key]
        return known, pending

    def _open_network(self) -> "Network":
        self._network = self._network or Network()
        return self._network

    def _servers(self) -> Sequence[Server]:
        return self._configured or self._system.read()

    async def _query(self, key: Question, servers: Sequence[Server]) -> DnsAnswer:
        """The answer of the servers, which is cached unless the resolver does not work. In the network
        thread.
        """
        answer, ttl = UNAVAILABLE, 0.0
        try:
            name = dns.name.from_text(key[0])
            transport = self._open_network().transport
            answer, ttl = parse_response(await transport.ask(name, key[1], servers, self._timeout))
        except (dns.exception.DNSException, UnicodeError):
            pass  # a malformed name or answer
        finally:
            with self._lock:
                if not self._is_in_trouble():
                    self._cache.put(key, answer, min(ttl, HEALTH_SECONDS) if counts_against(answer) else ttl)
                del self._pending[key]
        return answer

    def _is_in_trouble(self) -> bool:
        return self._health is not DnsHealth.WORKS and self._clock() < self._health_until

    async def _examine(self, servers: Sequence[Server], timeout: float) -> DnsHealth:
        """The health of the servers, which is noted. If they do not work, also forgets all cached answers, as
        some may have been given during the trouble. In the network thread.
        """
        health = DnsHealth.CUT_OFF
        try:
            health = await self._canaries.ask(self._open_network().transport, servers, timeout)
        finally:
            with self._lock:
                self._health, self._health_until = health, self._clock() + HEALTH_SECONDS
                if health is not DnsHealth.WORKS:
                    self._cache = Cache(self._cache_size, self._clock)
                self._examining = None
            telemetry.record_dns_health(health)
        return health


class Network:
    """A thread with an event loop, in which coroutines use the `transport`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self.transport = Transport()
        self._thread = threading.Thread(target=self._loop.run_forever, name="dns", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> "concurrent.futures.Future[T]":
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        self.run(self._shut_down()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _shut_down(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


_resolvers: "weakref.WeakSet[DnsResolver]" = weakref.WeakSet()


@cache
def _reset_after_fork() -> None:
    """Has every resolver reset in forked children. Does so once in a process, however often it is called."""
    os.register_at_fork(after_in_child=_reset_all)


def _reset_all() -> None:
    for resolver in _resolvers:
        resolver.reset()


class SystemServers:
    """The recursive resolvers in /etc/resolv.conf."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._changed = -1
        self._servers: tuple[Server, ...] = ()

    def read(self) -> tuple[Server, ...]:
        """The servers in the file; empty if it is missing or lists none."""
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
