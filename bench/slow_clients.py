"""Latency of ordinary requests while slow clients are connected.

    python -m bench.slow_clients HOST PORT [GET_PATH [POST_PATH [KEY:SECRET]]]

Sends ordinary requests on ten connections, first alone and then beside 300 clients that send headers slowly,
300 that send a body slowly and 300 that stop within one. Prints the median, p99 and maximum in milliseconds.
"""

import asyncio
import contextlib
import sys
import time
from base64 import b64encode

CLIENTS_PER_KIND = 300
SECONDS = 10.0
CONNECTIONS = 10


async def slow(host: str, port: int, first: bytes, drip: bytes) -> None:
    with contextlib.suppress(OSError):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(first)
        while not reader.at_eof():
            await writer.drain()
            await asyncio.sleep(1)
            writer.write(drip)


async def ordinary(host: str, port: int, head: bytes, times_ms: list[float]) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    until = time.monotonic() + SECONDS
    while (start := time.monotonic()) < until:
        writer.write(head + b"\r\n")
        answer = await reader.readuntil(b"\r\n\r\n")
        length = answer.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
        await reader.readexactly(int(length))
        times_ms.append((time.monotonic() - start) * 1000)
        await asyncio.sleep(0.005)
    writer.close()


async def measure(name: str, host: str, port: int, head: bytes) -> None:
    times_ms: list[float] = []
    requests = asyncio.gather(*(ordinary(host, port, head, times_ms) for _ in range(CONNECTIONS)))
    try:
        await asyncio.wait_for(requests, SECONDS * 2)
    except TimeoutError:
        print(f"{name:>12}: STALLED after {len(times_ms)} requests")
        return
    times_ms.sort()
    p50, p99 = times_ms[len(times_ms) // 2], times_ms[len(times_ms) * 99 // 100]
    print(f"{name:>12}: {len(times_ms)} requests, p50 {p50:.2f}, p99 {p99:.2f}, max {times_ms[-1]:.2f} ms")


async def main(host: str, port: int, get: str = "/", post: str = "/", keys: str = "") -> None:
    rest = f" HTTP/1.1\r\nHost: bench\r\nAuthorization: Basic {b64encode(keys.encode()).decode()}\r\n"
    get_head, head = f"GET {get}{rest}".encode(), f"POST {post}{rest}".encode()
    body = head + b"Content-Length: 1000\r\n\r\n{"
    kinds = [(head, b"X"), (body, b" "), (body, b"")]
    await measure("alone", host, port, get_head)
    tasks = [asyncio.create_task(slow(host, port, *kind)) for kind in kinds for _ in range(CLIENTS_PER_KIND)]
    await asyncio.sleep(2)
    await measure("with slow", host, port, get_head)
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:]))
