"""Seventeen kinds of hostile and silent DNS servers, fifty validations at once.

No address is called invalid for the trouble of the servers, neither while they are examined nor once they are
known for it, and others are answered as ever: the long form lets their p99 double at most. Each kind, in the
short form each that denies all names, meets a service that has examined no server yet. The servers, those who
validate and the others are a process each.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random
from typing import Any

import dns.message

from audience.answers.dns.resolver import BUSY
from tests.answers.dns_servers import NOISE, FakeServer
from tests.answers.internet import CUT_OFF, LYING, Internet
from tests.service import until
from tests.torture.kill import PARTS
from tests.torture.world import World, eventually, opened_world

MUTE = "nxdomain, silent of canaries"
DENYING = ("nxdomain", "nxdomain of its own root", MUTE)
KINDS = (*CUT_OFF, *LYING, MUTE, *NOISE)
SHORT = LONG = len(KINDS)
UNIT = "kinds of servers"
AT_ONCE, SECONDS, SECONDS_SHORT, LEAST_MS = 50, 2.0, 0.1, 50.0
PAUSE_SECONDS = 1.0  # as `Retry-After` says
FORKED = multiprocessing.get_context("fork")


class Hostile:
    """The handler of a server, whose kind another process chooses."""

    def __init__(self) -> None:
        self._number = FORKED.Value("i", -1)

    def become(self, number: int) -> None:
        """Switches to one of `KINDS`; to healthy with -1."""
        self._number.value = number

    def __call__(self, query: dns.message.Message) -> Sequence[dns.message.Message | bytes]:
        number = self._number.value
        kind = KINDS[number] if number >= 0 else "healthy"
        if kind in NOISE:
            return [NOISE[kind](query)]
        internet = Internet("nxdomain" if kind == MUTE else kind)
        internet.mutes_canaries = kind == MUTE
        answers: Sequence[dns.message.Message | bytes] = internet(query)
        return answers


@contextmanager
def opened(short: bool) -> Iterator[object]:
    hostile, seconds = Hostile(), SECONDS_SHORT if short else SECONDS
    server = FakeServer(hostile)
    patience = {"AUDIENCE_DNS_TIMEOUT": "1"} if short else {}
    with (
        apart(serve, server),
        opened_world({"AUDIENCE_DNS_SERVERS": server.address} | patience) as world,
    ):

        def attack(number: int, chance: Random) -> dict[str, float]:
            if KINDS[number] in DENYING or not short:
                renew_web(world)
            finds_p99_ms(world, time.monotonic() + seconds)  # as soon as it is warm
            alone_ms = finds_p99_ms(world, time.monotonic() + seconds)
            hostile.become(number)
            with apart(validate_many, world, f"firm{number}") as validating:
                beside_ms = finds_p99_ms(world, time.monotonic() + seconds, validating.is_alive)
            validate(world, f"ann@later{number}.org")
            hostile.become(-1)
            assert validating.exitcode == 0, "an address is invalid: see above"
            assert short or beside_ms <= max(LEAST_MS, 2 * alone_ms), f"{alone_ms:.0f} → {beside_ms:.0f} ms"
            return {"alone p99 ms": alone_ms, "beside p99 ms": beside_ms}

        yield attack


def renew_web(world: World) -> None:
    for pid in world.running(PARTS["web"]):
        os.kill(pid, signal.SIGKILL)
    eventually(lambda: world.call("GET", "/stats/site")[0] == 200)


@contextmanager
def apart(work: Callable[..., None], *arguments: Any) -> Iterator[Any]:
    """Runs work in a process forked from this one."""
    child = FORKED.Process(target=work, args=arguments, daemon=True)
    child.start()
    try:
        yield child
    finally:
        child.kill()
        child.join()


def serve(server: FakeServer) -> None:
    with server:
        threading.Event().wait()


def finds_p99_ms(world: World, end: float, goes_on: Callable[[], bool] = lambda: False) -> float:
    """The p99 in milliseconds of finds until `end`, and as long as `goes_on`."""
    world.take_p99_ms()
    while time.monotonic() < end or goes_on():
        assert world.ask("GET", "/fetch/subscribers?email=a@example.com")[0] == 200
        threading.Event().wait(0.005)
    return world.take_p99_ms()


def validate_many(world: World, name: str) -> None:
    """Validates addresses of unknown domains, all at once."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda each: validate(world, f"ann@{name}-{each}.org"), range(AT_ONCE)))


def validate(world: World, email: str) -> None:
    """Validates an address, again as long as too many wait for the DNS."""

    def told() -> tuple[int, Any] | None:
        answer = world.call("POST", "/experimental/validation", {"email": email})
        if (answer[0], answer[1].get("error")) != (503, BUSY):
            return answer
        threading.Event().wait(PAUSE_SECONDS)
        return None

    status, answer = until(told)
    assert (status, answer.get("valid")) == (200, True), (status, answer)
