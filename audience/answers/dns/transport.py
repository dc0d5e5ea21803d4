"""DNS queries over UDP, and over TCP when an answer is truncated (RFC 1035, RFC 7766)."""

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass

import dns.asyncbackend
import dns.asyncquery
import dns.exception
import dns.inet
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype

from audience.config import SettingError

ROUNDS = 2  # queries per silent server: datagrams get lost
MAX_SOCKETS = 256
CONCLUSIVE = (dns.rcode.NOERROR, dns.rcode.NXDOMAIN)


@dataclass(frozen=True)
class Server:
    """A recursive resolver: an IP address and a port."""

    address: str
    port: int = 53


def parse_server(text: str) -> Server:
    """Parses `ADDRESS`, `ADDRESS:PORT` or `[IPV6]:PORT`. Raises `SettingError`."""
    address, port = text, "53"
    if text.startswith("["):
        address, _, rest = text[1:].partition("]")
        port = rest.removeprefix(":") or port
    elif text.count(":") == 1:
        address, _, port = text.partition(":")
    if not dns.inet.is_address(address) or not port.isdecimal() or not 0 < int(port) < 65536:
        raise SettingError(f"dns_servers: {text!r} is not ADDRESS, ADDRESS:PORT or [IPV6]:PORT")
    return Server(address, int(port))


class Transport:
    """Sends DNS queries, each from a socket of its own on a random port. It must be used by one event loop
    only.
    """

    def __init__(self) -> None:
        self._sockets = asyncio.Semaphore(MAX_SOCKETS)

    async def ask(
        self, name: dns.name.Name, kind: dns.rdatatype.RdataType, servers: Sequence[Server], timeout: float
    ) -> dns.message.Message | None:
        """The first conclusive response of a server. If there is none, a SERVFAIL response if one came, else
        None.

        Takes at most `timeout` seconds. The servers are tried in order. A server that is silent may still
        respond while the next one is queried.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        plan = list(servers) * ROUNDS
        per_attempt = timeout / (len(plan) + 1)
        attempts: dict[asyncio.Task[dns.message.Message | None], Server] = {}
        failure = None
        try:
            while (plan or attempts) and (left := deadline - loop.time()) > 0:
                if plan:
                    server = plan.pop(0)
                    attempts[loop.create_task(self._exchange(name, kind, server, deadline))] = server
                wait = min(per_attempt, left) if plan else left
                done, _ = await asyncio.wait(attempts, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
                for attempt in done:
                    server, answer = attempts.pop(attempt), attempt.result()
                    if answer is not None and answer.rcode() in CONCLUSIVE:
                        return answer
                    if answer is not None and answer.rcode() == dns.rcode.SERVFAIL:
                        failure = answer
                    plan = [other for other in plan if other != server]
        finally:
            for attempt in attempts:
                attempt.cancel()
        return failure

    async def _exchange(
        self, name: dns.name.Name, kind: dns.rdatatype.RdataType, server: Server, deadline: float
    ) -> dns.message.Message | None:
        """The response of one server, over TCP if that over UDP is truncated. None if it cannot be reached or
        understood.
        """
        query, loop = dns.message.make_query(name, kind), asyncio.get_running_loop()
        where, port, family = server.address, server.port, dns.inet.af_for_address(server.address)
        connect = dns.asyncbackend.get_backend("asyncio").make_socket
        try:
            async with (
                self._sockets,
                # connected, so that an unreachable server is noticed at once
                await connect(  # type: ignore[no-untyped-call]  # dnspython has no types here
                    family, socket.SOCK_DGRAM, destination=(where, port)
                ) as sock,
            ):
                answer, _ = await dns.asyncquery.udp_with_fallback(
                    query, where, deadline - loop.time(), port, udp_sock=sock, ignore_errors=True
                )
                return answer
        except (OSError, EOFError, dns.exception.DNSException):
            return None
