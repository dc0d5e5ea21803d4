"""`python -m bench.edge`: what others notice of slow, large and hostile requests to one service.

The p99 of ordinary requests alone, beside 300 slow headers, 300 slow bodies and 300 unread exports at once,
and beside 8 bodies of 8 MB that are all brackets, and the longest of each; how soon a client that announces
100 MB is refused; the memory above idle of such bodies, of an import and an export of 1 GiB.
"""

import argparse
import asyncio
import contextlib
import http.client
import multiprocessing
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import instances
from bench.memory import Peak
from bench.rows import MS, Row, show
from tests.service import Service, until

CLIENTS_PER_KIND = 300
SECONDS = 10.0
CONNECTIONS = 10
MIB = 2**20
NOTE = "x" * 60_000
BRACKETS = b'{"subscribers": [' + b"[],{}," * ((8 * MIB - 30) // 6) + b"[]]}"


class Bench:
    """One service, and requests to it with the keys of its first site."""

    def __init__(self, service: Service) -> None:
        self.service = service
        keys = f"{service.first['publishable_key']}:{service.first['secret_key']}"
        self.authorization = f"Basic {b64encode(keys.encode()).decode()}"

    def head(self, method: str, path: str, **headers: str) -> bytes:
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        authorization = headers.get("Authorization") or self.authorization
        return (
            f"{method} /api/v1{path} HTTP/1.1\r\nHost: bench\r\nAuthorization: {authorization}\r\n{lines}"
        ).encode()

    async def ordinary(self, times_ms: list[float]) -> None:
        """Finds a subscriber every 5 ms on one connection; an answer other than 200 fails the bench."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.service.port)
        end = time.monotonic() + SECONDS
        while (start := time.monotonic()) < end:
            writer.write(self.head("GET", "/fetch/subscribers?email=ordinary%40example.com") + b"\r\n")
            answer = await reader.readuntil(b"\r\n\r\n")
            if b" 200 " not in answer[:15]:
                raise RuntimeError(f"an ordinary request failed: {answer[:15].decode()}")
            length = answer.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
            await reader.readexactly(int(length))
            times_ms.append((time.monotonic() - start) * 1000)
            await asyncio.sleep(0.005)
        writer.close()

    async def p99_ms(self) -> tuple[float, float]:
        """The p99 and the longest of ten connections' ordinary requests."""
        times_ms: list[float] = []
        await asyncio.wait_for(
            asyncio.gather(*(self.ordinary(times_ms) for _ in range(CONNECTIONS))), 3 * SECONDS
        )
        times_ms.sort()
        return times_ms[len(times_ms) * 99 // 100], times_ms[-1]

    async def slow(self, first: bytes, drip: bytes) -> None:
        """Sends `first`, then `drip` every second, and never reads."""
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.service.port, limit=1)
            writer.write(first)
            while not reader.at_eof():
                await asyncio.sleep(1)
                writer.write(drip)
                await writer.drain()

    async def beside_slow_clients(self) -> tuple[float, float]:
        kinds = [
            (self.head("GET", "/stats/site"), b"X"),
            (self.head("POST", "/fetch/tags", **{"Content-Length": "1000"}) + b"\r\n{", b" "),
            (self.head("GET", "/fetch/export") + b"\r\n", b""),
        ]
        tasks = [asyncio.create_task(self.slow(*kind)) for kind in kinds for _ in range(CLIENTS_PER_KIND)]
        await asyncio.sleep(2)
        measured = await self.p99_ms()
        for task in tasks:
            task.cancel()
        return measured

    def refusal_ms(self) -> float:
        """Until a client with a wrong key that announces 100 MB, and waits to be told, has read its 401."""
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port)
        with contextlib.closing(connection):
            connection.connect()
            start = time.monotonic()
            head = self.head("POST", "/batch/imports", Authorization="Basic cGs6c2s=", **ANNOUNCED)
            connection.sock.sendall(head + b"\r\n")
            if b" 401 " not in connection.sock.recv(100):
                raise RuntimeError("not a 401")
            return (time.monotonic() - start) * 1000

    def send(self, body: Any, length: int, path: str, media_type: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=600)
        headers = {
            "Authorization": self.authorization,
            "Content-Type": media_type,
            "Content-Length": str(length),
        }
        with contextlib.closing(connection):
            connection.request("POST", f"/api/v1{path}", body, headers)
            return connection.getresponse().status

    def brackets(self) -> tuple[float, float]:
        """Others' p99 and longest wait while 8 clients send 8 MB of brackets each, again and again.

        Each client is a process: the others would wait for threads of their own.
        """
        attackers = [multiprocessing.Process(target=self._send_brackets) for _ in range(8)]
        for attacker in attackers:
            attacker.start()
        try:
            return asyncio.run(self.p99_ms())
        finally:
            for attacker in attackers:
                attacker.terminate()
                attacker.join()

    def _send_brackets(self) -> None:
        while True:
            self.send(BRACKETS, len(BRACKETS), "/batch/subscribers", "application/json")

    def import_file(self, size: int) -> None:
        rows = size // (len(NOTE) + 30)
        lines = (f"p{number}@example.com,{NOTE}\n".encode() for number in range(rows))
        length = (
            len(b"email,note\n") + sum(len(f"p{n}@example.com,\n") for n in range(rows)) + rows * len(NOTE)
        )
        if (
            self.send(_chain(b"email,note\n", lines), length, "/batch/imports?consent=subscribed", "text/csv")
            != 200
        ):
            raise RuntimeError("the file was refused")
        until(lambda: self.service.call("GET", "/stats/site")[1]["user_count"] >= rows, 600)

    def export(self) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=600)
        with contextlib.closing(connection):
            connection.request("GET", "/api/v1/fetch/export", headers={"Authorization": self.authorization})
            response = connection.getresponse()
            return sum(len(piece) for piece in iter(lambda: response.read(MIB), b""))


ANNOUNCED = {"Content-Length": "100000000", "Content-Type": "text/csv", "Expect": "100-continue"}


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


class Measured:
    """The rows of what was measured of one service."""

    def __init__(self, service: Service) -> None:
        self._service, self.rows = service, list[Row]()

    def add(self, what: str, ours: float, unit: str, at_most: float | None = None) -> None:
        self.rows.append(Row(what=what, ours=ours, unit=unit, at_most=at_most))

    @contextmanager
    def growth(self, of: str, most_mb: float) -> Iterator[None]:
        with Peak(self._service.process.pid) as peak:
            yield
        self.add(f"memory above idle: {of}", peak.growth_mb, "MB", most_mb)

    def waits(
        self,
        name: str,
        found: tuple[float, float],
        most_p99: float | None = None,
        most_longest: float | None = None,
    ) -> None:
        p99, longest = found
        self.add(f"{name}, p99", p99, MS, most_p99)
        self.add(f"{name}, longest", longest, MS, most_longest)


def measure(service: Service, gigabytes: float) -> list[Row]:
    bench, measured = Bench(service), Measured(service)
    service.call("POST", "/fetch/subscribers", {"subscriber": {"email": "ordinary@example.com"}})
    refused_ms = max(bench.refusal_ms() for _ in range(20))
    measured.add("401 to a client that announces 100 MB, longest of 20", refused_ms, MS, 50)
    with measured.growth(f"a file import of {gigabytes:g} GiB", 64):
        bench.import_file(int(gigabytes * 2**30))
    with measured.growth(f"an export of {gigabytes:g} GiB", 64):
        bench.export()
    measured.waits("others alone", asyncio.run(bench.p99_ms()))
    measured.waits("others beside 900 slow clients", asyncio.run(bench.beside_slow_clients()), 100)
    with measured.growth("8 bodies of 8 MB, all brackets", 300):
        measured.waits("others beside 8 such bodies", bench.brackets(), None, 250)
    return measured.rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        instances.served(Path(folder), log=open("/dev/null", "w")) as service,
    ):
        show(measure(service, options.gigabytes), options.json)


if __name__ == "__main__":
    main()
