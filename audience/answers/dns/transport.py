"""DNS queries over UDP, and over TCP when an answer is truncated (RFC 1035, RFC 7766)."""

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass

import dns.asyncquery
import dns.entropy
import dns.exception
import dns.flags
import dns.inet
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype

from audience.config import SettingError

QUESTIONS_PER_PORT = 64  # then a new port is used, against forged answers
ROUNDS = 2  # queries per silent server: datagrams get lost
MAX_STREAMS = 32  # concurrent TCP connections
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


class Port:
    """A UDP socket on a random port, connected to one server. It ignores every datagram that is not a
    response to a pending query, with the same id and question.
    """

    def __init__(self, server: Server) -> None:
        self._loop = asyncio.get_running_loop()
        self._pending: dict[int, tuple[dns.message.Message, asyncio.Future[dns.message.Message | None]]] = {}
        self._sent = 0
        self._socket = socket.socket(dns.inet.af_for_address(server.address), socket.SOCK_DGRAM)
        try:
            self._socket.setblocking(False)
            self._socket.connect(dns.inet.low_level_address_tuple((server.address, server.port)))
        except OSError:
            self._socket.close()
            raise
        self._loop.add_reader(self._socket, self._read)

    @property
    def used_up(self) -> bool:
        return self._sent >= QUESTIONS_PER_PORT

    def ask(self, query: dns.message.Message) -> asyncio.Future[dns.message.Message | None]:
        """Sends a query. Returns a future with the response, which may be truncated, or with None if the
        server is unreachable. Raises `OSError`.

        The caller must cancel the future when it stops waiting.
        """
        while query.id in self._pending:
            query.id = dns.entropy.random_16()
        self._sent += 1
        try:
            self._socket.send(query.to_wire())
        except OSError:  # perhaps of an earlier query
            self._fail_pending()
            raise
        future: asyncio.Future[dns.message.Message | None] = self._loop.create_future()
        self._pending[query.id] = (query, future)
        future.add_done_callback(lambda _: self._forget(query.id))
        return future

    def retire(self) -> None:
        """Closes the port if it is used up, and no query is pending."""
        if self.used_up and not self._pending:
            self.close()

    def close(self) -> None:
        if self._socket.fileno() >= 0:
            self._loop.remove_reader(self._socket)
            self._socket.close()

    def _forget(self, message_id: int) -> None:
        del self._pending[message_id]
        self.retire()

    def _read(self) -> None:
        while self._socket.fileno() >= 0:
            try:
                data = self._socket.recv(65535)
            except BlockingIOError:
                return
            except OSError:  # ICMP: port unreachable
                self._fail_pending()
                return
            self._receive(data)

    def _receive(self, data: bytes) -> None:
        query, future = self._pending.get(int.from_bytes(data[:2], "big"), (None, None))
        if query is None or future is None or len(data) < 12:
            return
        truncated = bool(int.from_bytes(data[2:4], "big") & dns.flags.TC)
        try:
            answer = dns.message.from_wire(data, question_only=truncated)
        except Exception:
            return  # the parser raises anything on a malformed datagram; a valid one may follow
        if query.is_response(answer) and not future.done():
            future.set_result(answer)

    def _fail_pending(self) -> None:
        for _, future in list(self._pending.values()):
            if not future.done():
                future.set_result(None)


class Transport:
    """Sends DNS queries. It must be used by one event loop only."""

    def __init__(self) -> None:
        self._ports: dict[Server, Port] = {}
        self._streams = asyncio.Semaphore(MAX_STREAMS)

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

    def close(self) -> None:
        for port in self._ports.values():
            port.close()

    async def _exchange(
        self, name: dns.name.Name, kind: dns.rdatatype.RdataType, server: Server, deadline: float
    ) -> dns.message.Message | None:
        """The response of one server, over TCP if that over UDP is truncated. None if it cannot be reached or
        understood.
        """
        query = dns.message.make_query(name, kind)
        try:
            answer = await self._port(server).ask(query)
            if answer is None or not answer.flags & dns.flags.TC:
                return answer
            async with self._streams:
                left = deadline - asyncio.get_running_loop().time()
                return await dns.asyncquery.tcp(query, server.address, timeout=left, port=server.port)
        except (OSError, EOFError, dns.exception.DNSException):
            return None

    def _port(self, server: Server) -> Port:
        port = self._ports.get(server)
        if port is not None and port.used_up:
            port.retire()
            port = None
        if port is None:
            port = self._ports[server] = Port(server)
        return port
