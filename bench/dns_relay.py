"""A DNS server that is slow, or silent about some names: `python -m bench.dns_relay PORT DELAY [SILENT]`.

Hands each question to the server on loopback PORT, and the answer back DELAY seconds after the question came.
Questions with SILENT in them get none. Prints its own address when it is ready."""

import asyncio
import itertools
import sys

HOST = "127.0.0.1"


class Relay(asyncio.DatagramProtocol):
    def __init__(self, delay: float, silent: bytes) -> None:
        self._delay = delay
        self._silent = silent
        self._ids = itertools.count()
        self.asked: dict[int, tuple[bytes, tuple[str, int]]] = {}

    def connection_made(self, front: asyncio.DatagramTransport) -> None:
        self.front = front

    def datagram_received(self, data: bytes, client: tuple[str, int]) -> None:
        if self._silent and self._silent in data:
            return
        number = next(self._ids) % 65536
        self.asked[number] = (data[:2], client)
        question = number.to_bytes(2, "big") + data[2:]
        asyncio.get_running_loop().call_later(self._delay, self.back.sendto, question)


class Back(asyncio.DatagramProtocol):
    def __init__(self, relay: Relay) -> None:
        self._relay = relay

    def connection_made(self, back: asyncio.DatagramTransport) -> None:
        self._relay.back = back

    def datagram_received(self, data: bytes, _: tuple[str, int]) -> None:
        message_id, client = self._relay.asked.pop(int.from_bytes(data[:2], "big"))
        self._relay.front.sendto(message_id + data[2:], client)


async def serve(port: int, delay: float, silent: bytes) -> None:
    loop = asyncio.get_running_loop()
    relay = Relay(delay, silent)
    await loop.create_datagram_endpoint(lambda: Back(relay), remote_addr=(HOST, port))
    front, _ = await loop.create_datagram_endpoint(lambda: relay, local_addr=(HOST, 0))
    print(f"{HOST}:{front.get_extra_info('sockname')[1]}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2]), "".join(sys.argv[3:]).encode()))
