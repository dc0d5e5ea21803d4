"""Sixteen kinds of hostile and silent DNS servers, fifty validations at once.

No address is called invalid for the trouble of the servers, and others are answered as ever: the long form
lets their p99 double at most.
"""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random

import dns.message

from tests.answers.dns_servers import NOISE, FakeServer
from tests.answers.test_dns_trouble import CUT_OFF, LYING, Internet
from tests.torture.world import World, opened_world

KINDS = (*CUT_OFF, *LYING, *NOISE)
SHORT = LONG = len(KINDS)
UNIT = "kinds of servers"
AT_ONCE, LEAST_MS = 50, 50.0


class Hostile:
    """The handler of a server of one kind after another."""

    def __init__(self) -> None:
        self.kind = "healthy"
        self._internet = Internet()

    def __call__(self, query: dns.message.Message) -> Sequence[dns.message.Message | bytes]:
        if self.kind in NOISE:
            return [NOISE[self.kind](query)]
        self._internet.state = self.kind
        answers: Sequence[dns.message.Message | bytes] = self._internet(query)
        return answers


@contextmanager
def opened(short: bool) -> Iterator[object]:
    hostile = Hostile()
    with FakeServer(hostile) as server:
        patience = {"AUDIENCE_DNS_TIMEOUT": "1"} if short else {}
        with opened_world({"AUDIENCE_DNS_SERVERS": server.address} | patience) as world:

            def attack(number: int, chance: Random) -> dict[str, float]:
                alone_ms = others_p99_ms(world, f"alone{number}", 0)
                hostile.kind = KINDS[number]
                beside_ms = others_p99_ms(world, f"firm{number}", AT_ONCE)
                hostile.kind = "healthy"
                assert short or beside_ms <= max(LEAST_MS, 2 * alone_ms), (
                    f"{alone_ms:.0f} → {beside_ms:.0f} ms"
                )
                return {"alone p99 ms": alone_ms, "beside p99 ms": beside_ms}

            yield attack


def others_p99_ms(world: World, name: str, at_once: int) -> float:
    """Of finds, while addresses of unknown domains are validated."""
    world.take_p99_ms()
    end = threading.Event()

    def find() -> None:
        while not end.wait(0.005):
            assert world.ask("GET", "/fetch/subscribers?email=a@example.com")[0] == 200

    other = threading.Thread(target=find)
    other.start()
    try:
        with ThreadPoolExecutor(max(1, at_once)) as pool:
            list(pool.map(lambda each: validate(world, f"ann@{name}-{each}.org"), range(at_once)))
        end.wait(0.5)
    finally:
        end.set()
        other.join()
    return world.take_p99_ms()


def validate(world: World, email: str) -> None:
    status, answer = world.call("POST", "/experimental/validation", {"email": email})
    assert status == 503 or (status, answer["valid"]) == (200, True), (status, answer)
