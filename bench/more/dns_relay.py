"""A slow DNS server that ignores some queries: `python -m bench.more.dns_relay PORT DELAY [SILENT]`.

Forwards each query to the server on loopback PORT after DELAY seconds, except those that contain SILENT.
Prints its own address when it is ready.
"""

import asyncio
import itertools
import sys
from typing import cast

HOST = "127.0.0.1"


class Relay(asyncio.DatagramProtocol):
    def __init__(self, delay: float, silent: bytes) -> None:
        self._delay = delay
        self._silent = silent
        self._ids = itertools.count()
        self.pending: dict[int, tuple[bytes, tuple[str, int]]] = {}

    upstream: asyncio.DatagramTransport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.listener = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, client: tuple[str, int]) -> None:
        if self._silent and self._silent in data:
            return
        number = next(self._ids) % 65536
        self.pending[number] = (data[:2], client)
        query = number.to_bytes(2, "big") + data[2:]
        asyncio.get_running_loop().call_later(self._delay, self.upstream.sendto, query)


class Upstream(asyncio.DatagramProtocol):
    def __init__(self, relay: Relay) -> None:
        self._relay = relay

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._relay.upstream = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, _: tuple[str, int]) -> None:
        message_id, client = self._relay.pending.pop(int.from_bytes(data[:2], "big"))
        self._relay.listener.sendto(message_id + data[2:], client)


async def serve(port: int, delay: float, silent: bytes) -> None:
    loop = asyncio.get_running_loop()
    relay = Relay(delay, silent)
    await loop.create_datagram_endpoint(lambda: Upstream(relay), remote_addr=(HOST, port))
    listener, _ = await loop.create_datagram_endpoint(lambda: relay, local_addr=(HOST, 0))
    print(f"{HOST}:{listener.get_extra_info('sockname')[1]}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2]), "".join(sys.argv[3:]).encode()))
