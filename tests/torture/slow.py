"""Clients that dawdle: unfinished heads, unfinished bodies, unread exports, idle connections, all at once.

Others are answered as ever; the long form holds their p99 to 100 ms.
"""

import asyncio
import contextlib
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.torture.load import Load
from tests.torture.world import opened_world

SHORT, LONG, UNIT = 1, 20, "stretches of 30 s"
KINDS, IDLE, SECONDS = 300, 1_000, 30.0
MAX_P99_MS = 100.0
DESCRIPTORS = 8_192


@contextmanager
def opened(short: bool) -> Iterator[object]:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(DESCRIPTORS, hard), hard))
    with opened_world() as world:
        load = Load(world.service, SECONDS / 2 if short else SECONDS)
        made = world.call("POST", "/fetch/subscribers", {"subscriber": {"email": "ordinary@example.com"}})
        assert made[0] == 201, made
        load.import_file(2 * buffered_bytes())
        assert load.export() > buffered_bytes(), "an export is no larger than what is sent unread"

        def attack(number: int, chance: Random) -> dict[str, float]:
            p99_ms, longest_ms = asyncio.run(measured(load, world.service.port))
            assert short or p99_ms <= MAX_P99_MS, f"p99 {p99_ms:.0f} ms"
            return {"p99 ms": p99_ms, "longest ms": longest_ms}

        yield attack


def buffered_bytes() -> int:
    """How much of one connection the sender's and the receiver's systems may buffer."""
    limits = (Path(f"/proc/sys/net/ipv4/{name}").read_text().split() for name in ("tcp_wmem", "tcp_rmem"))
    return sum(int(most) for *_, most in limits)


async def measured(load: Load, port: int) -> tuple[float, float]:
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(IDLE):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(writer.close)
        return await load.beside_slow_clients()
