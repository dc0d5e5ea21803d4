"""Redis hangs, is killed, runs out of memory, finds its file corrupt, or takes no writes, under four clients.

Every import is accepted all the same, and applied once Redis is back or without it.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random

from redis.exceptions import RedisError

from audience.config import Settings
from tests.torture.world import World, eventually, opened_world
from workers import embedded_redis
from workers.redis_client import PATIENT_SECONDS, connect

SHORT, LONG, UNIT = 5, 30, "troubles"
MAX_P99_MS = 250.0


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_world() as world:

        def attack(number: int, chance: Random) -> dict[str, float]:
            troubles = list(TROUBLES)
            world.take_p99_ms()
            with world.clients_at_work(f"r{number}", chance):
                end = troubles[number % len(troubles)](world)
                threading.Event().wait(chance.uniform(1.0, 2.0))
                p99_ms = world.take_p99_ms()
                end()
            answers = world.ledger.statuses
            assert set(answers) <= {"200", "201"}, f"not every request was done: {dict(answers)}"
            eventually(lambda: answers_again(world))
            world.check()
            assert short or p99_ms <= MAX_P99_MS, f"p99 {p99_ms:.0f} ms"
            return {"p99 ms": p99_ms}

        yield attack


def hangs(world: World) -> Callable[[], None]:
    [pid] = world.running("valkey-server")
    os.kill(pid, signal.SIGSTOP)
    return lambda: os.kill(pid, signal.SIGCONT)


def is_killed(world: World) -> Callable[[], None]:
    for pid in world.running("valkey-server"):
        os.kill(pid, signal.SIGKILL)
    return lambda: None


def runs_out_of_memory(world: World) -> Callable[[], None]:
    tell(world, "CONFIG", "SET", "maxmemory", "1")
    return lambda: tell(world, "CONFIG", "SET", "maxmemory", "0")


def takes_no_writes(world: World) -> Callable[[], None]:
    tell(world, "REPLICAOF", "127.0.0.1", "1")
    return lambda: tell(world, "REPLICAOF", "NO", "ONE")


def is_corrupt(world: World) -> Callable[[], None]:
    files = [*(world.instance / "redis" / "appendonlydir").glob("*.aof")]
    assert files, "Redis has no file"
    for file in files:
        file.write_bytes(b"*3\r\n$3\r\nSETgarbage" * 100)
    return is_killed(world)


TROUBLES = (hangs, is_killed, runs_out_of_memory, takes_no_writes, is_corrupt)


def tell(world: World, *words: str) -> None:
    with connect(embedded_redis.url(Settings(instance=world.instance)), PATIENT_SECONDS) as client:
        client.execute_command(*words)


def answers_again(world: World) -> bool:
    with suppress(RedisError):
        tell(world, "PING")
        return True
    return False
