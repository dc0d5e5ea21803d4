"""DNS servers on loopback ports: Debian's nsd and rbldnsd, and small ones that misbehave."""

import os
import socket
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rrset

from tests.service import PATIENCE_SECONDS, free_port

HOST = "127.0.0.1"
READABLE = stat.S_IROTH | stat.S_IXOTH
SOA = "$TTL 60\n@ SOA ns.example. host.example. 1 60 60 60 {minimum}\n@ NS ns.example.\n"
Handler = Callable[[dns.message.Message], "Sequence[dns.message.Message | bytes]"]


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def nsd(
    program: str, zones: Mapping[str, str], broken: Sequence[str] = (), minimum: int = 30
) -> Iterator[str]:
    """Runs an authoritative server. `zones` are records by zone; those in `broken` answer SERVFAIL. Yields
    its address.
    """
    port = free_port()
    with _folder() as folder:
        text = (
            f'server:\n ip-address: {HOST}@{port}\n username: ""\n zonesdir: "{folder}"\n'
            f' database: ""\n pidfile: ""\n zonelistfile: "{folder}/list"\n xfrdfile: "{folder}/state"\n'
            f' xfrdir: "{folder}"\n'
            " server-count: 1\n rrl-ratelimit: 0\nremote-control:\n control-enable: no\n"
        )
        for zone in (*zones, *broken):
            text += f'zone:\n name: {zone}\n zonefile: "{zone}"\n'
        for zone, records in zones.items():
            (folder / zone).write_text(SOA.format(minimum=minimum) + records)
        (folder / "nsd.conf").write_text(text)
        with _running([program, "-d", "-c", str(folder / "nsd.conf")], port):
            yield f"{HOST}:{port}"


@contextmanager
def rbldnsd(program: str, addresses: Mapping[str, str], domains: Mapping[str, str]) -> Iterator[str]:
    """Runs a server of lists: lines of rbldnsd's `ip4set` and `dnset`, by zone. Yields its address."""
    port = free_port()
    with _folder() as folder:
        zones = []
        for kind, lists in (("ip4set", addresses), ("dnset", domains)):
            for zone, lines in lists.items():
                (folder / f"{zone}.{kind}").write_text(
                    f"$SOA 60 ns.example. host.example. 1 60 60 60 60\n{lines}\n"
                )
                zones.append(f"{zone}:{kind}:{zone}.{kind}")
        user = ["-u", "nobody"] if os.getuid() == 0 else []
        with _running([program, "-n", *user, "-b", f"{HOST}/{port}", "-w", str(folder), *zones], port):
            yield f"{HOST}:{port}"


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="dns") as name:
        folder = Path(name)
        folder.chmod(folder.stat().st_mode | READABLE)  # rbldnsd gives up root before it reads
        yield folder


@contextmanager
def _running(command: list[str], port: int) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_until_ready(process, port)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def _wait_until_ready(process: "subprocess.Popen[bytes]", port: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, f"{process.args!r} ended"
        with suppress(OSError, dns.exception.Timeout):
            dns.query.udp(dns.message.make_query("ready.example", "A"), HOST, port=port, timeout=0.1)
            return
        threading.Event().wait(0.02)
    raise AssertionError(f"{process.args!r} does not answer")


class FakeServer:
    """A UDP server that replies to each query with the messages of `handle`: none, one, or several."""

    def __init__(self, handle: Handler) -> None:
        self.seen: list[str] = []
        self._handle = handle
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((HOST, 0))
        self.port = self._socket.getsockname()[1]
        self.address = f"{HOST}:{self.port}"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "FakeServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stop:
            stop.sendto(b"", (HOST, self.port))
        self._thread.join(PATIENCE_SECONDS)
        self._socket.close()

    def _serve(self) -> None:
        while data := self._socket.recvfrom(65535):
            wire, sender = data
            if not wire:
                return
            query = dns.message.from_wire(wire)
            self.seen.append(query.question[0].name.to_text(omit_final_dot=True))
            for each in self._handle(query):
                self._socket.sendto(each if isinstance(each, bytes) else each.to_wire(), sender)


def reply(query: dns.message.Message, *records: str, kind: str = "A", ttl: int = 60) -> dns.message.Message:
    """The response of a recursive resolver."""
    message = dns.message.make_response(query, recursion_available=True)
    if records:
        message.answer.append(dns.rrset.from_text(query.question[0].name, ttl, "IN", kind, *records))
    return message


def refusal(query: dns.message.Message, rcode: dns.rcode.Rcode) -> dns.message.Message:
    message = dns.message.make_response(query, recursion_available=True)
    message.set_rcode(rcode)
    return message


def no_such_name(query: dns.message.Message, zone: str) -> dns.message.Message:
    """NXDOMAIN with the SOA of `zone`."""
    message = refusal(query, dns.rcode.NXDOMAIN)
    soa = "ns.example. host.example. 1 3600 3600 3600 3600"
    message.authority.append(dns.rrset.from_text(dns.name.from_text(zone), 3600, "IN", "SOA", soa))
    return message


def _with_another_id(query: dns.message.Message) -> dns.message.Message:
    message = reply(query, "203.0.113.66")
    message.id ^= 1
    return message


# What is no response to the query.
NOISE: dict[str, Callable[[dns.message.Message], "dns.message.Message | bytes"]] = {
    "empty": lambda _: b"",
    "short": lambda _: b"\xff" * 11,
    "garbage": lambda query: query.to_wire()[:2] + b"\xff" * 40,
    "echo": lambda query: query.to_wire(),
    "wrong id": _with_another_id,
    "wrong question": lambda query: reply(
        dns.message.make_query("other.org", "A", id=query.id), "203.0.113.66"
    ),
}
