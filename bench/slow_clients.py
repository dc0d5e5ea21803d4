"""How long ordinary requests take while slow clients are connected.

python bench/slow_clients.py HOST PORT [PATH_OF_GET [PATH_OF_POST [KEY:SECRET]]]

300 clients that dribble headers, 300 that dribble a body and 300 that stop within one; ordinary requests on
ten connections, before and meanwhile. Prints the median, p99 and worst of each in milliseconds.
"""

import asyncio
import contextlib
import sys
import time
from base64 import b64encode

EACH = 300
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


async def ordinary(host: str, port: int, head: bytes, taken: list[float]) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    until = time.monotonic() + SECONDS
    while (start := time.monotonic()) < until:
        writer.write(head + b"\r\n")
        answer = await reader.readuntil(b"\r\n\r\n")
        length = answer.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
        await reader.readexactly(int(length))
        taken.append((time.monotonic() - start) * 1000)
        await asyncio.sleep(0.005)
    writer.close()


async def measure(name: str, host: str, port: int, head: bytes) -> None:
    taken: list[float] = []
    requests = asyncio.gather(*(ordinary(host, port, head, taken) for _ in range(CONNECTIONS)))
    try:
        await asyncio.wait_for(requests, SECONDS * 2)
    except TimeoutError:
        print(f"{name:>12}: STALLED after {len(taken)} requests")
        return
    taken.sort()
    middle, late = taken[len(taken) // 2], taken[len(taken) * 99 // 100]
    print(f"{name:>12}: {len(taken)} requests, p50 {middle:.2f}, p99 {late:.2f}, worst {taken[-1]:.2f} ms")


async def main(host: str, port: int, get: str = "/", post: str = "/", keys: str = "") -> None:
    rest = f" HTTP/1.1\r\nHost: bench\r\nAuthorization: Basic {b64encode(keys.encode()).decode()}\r\n"
    ask, head = f"GET {get}{rest}".encode(), f"POST {post}{rest}".encode()
    body = head + b"Content-Length: 1000\r\n\r\n{"
    kinds = [(head, b"X"), (body, b" "), (body, b"")]
    await measure("alone", host, port, ask)
    tasks = [asyncio.create_task(slow(host, port, *kind)) for kind in kinds for _ in range(EACH)]
    await asyncio.sleep(2)
    await measure("with slow", host, port, ask)
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:]))
