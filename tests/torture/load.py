"""Requests to one service that are slow, large or never read, and how long others wait beside them."""

import asyncio
import contextlib
import http.client
import itertools
import time
from base64 import b64encode
from typing import Any

from tests.service import Service, until

CLIENTS_PER_KIND = 300
CONNECTIONS = 10
MIB = 2**20
NOTE = "x" * 60_000
BRACKETS = b'{"subscribers": [' + b"[],{}," * ((8 * MIB - 30) // 6) + b"[]]}"


class Load:
    """One service, and requests to it with the keys of its first site."""

    def __init__(self, service: Service, seconds: float = 10.0) -> None:
        self.service, self.seconds = service, seconds
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
        end = time.monotonic() + self.seconds
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
            asyncio.gather(*(self.ordinary(times_ms) for _ in range(CONNECTIONS))), 3 * self.seconds
        )
        times_ms.sort()
        return times_ms[len(times_ms) * 99 // 100], times_ms[-1]

    async def slow(self, first: bytes, drip: bytes) -> None:
        """Sends `first`, then `drip` every second, and never reads the answer."""
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

    def import_file(self, size: int) -> None:
        rows = size // (len(NOTE) + 30)
        lines = (f"p{number}@example.com,{NOTE}\n".encode() for number in range(rows))
        length = (
            len(b"email,note\n") + sum(len(f"p{n}@example.com,\n") for n in range(rows)) + rows * len(NOTE)
        )
        all_of_it, before = itertools.chain([b"email,note\n"], lines), self.people()
        if self.send(all_of_it, length, "/batch/imports?consent=subscribed", "text/csv") != 200:
            raise RuntimeError("the file was refused")
        until(lambda: self.people() >= before + rows, 600)

    def people(self) -> int:
        return int(self.service.call("GET", "/stats/site")[1]["user_count"])

    def export(self) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=600)
        with contextlib.closing(connection):
            connection.request("GET", "/api/v1/fetch/export", headers={"Authorization": self.authorization})
            response = connection.getresponse()
            return sum(len(piece) for piece in iter(lambda: response.read(MIB), b""))
