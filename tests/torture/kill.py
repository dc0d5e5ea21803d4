"""kill -9 of Redis, an import worker, the web server, the supervisor or PostgreSQL, under four clients.

Now and then an undo, a bulk action and a file of the console are under way; or two workers are at the same
import instead, as after a lease that was too short. Nothing accepted is lost or done twice, the counts are
exact, and the queue is drained within a minute. What the clients had no answer to, they send again with its
Idempotency-Key: it is there once.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from tests.torture import leases, stores, works
from tests.torture.world import World, eventually, opened_world

SHORT, LONG, UNIT = 25, 500, "kills"
TWO_WORKERS_EVERY = 12
PARTS = {"redis": "valkey-server", "worker": "app worker", "web": "app web"}


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_world({"AUDIENCE_WORKERS": "2"}) as world:
        world.repeats = True

        def attack(number: int, chance: Random) -> None:
            victim = chance.choice([*PARTS, *PARTS, "supervisor", *(["database"] if stores.server else [])])
            with works.at_times(world, number), world.clients_at_work(f"k{number}", chance, doors=1):
                threading.Event().wait(chance.uniform(0.05, 0.5))
                if number % TWO_WORKERS_EVERY:
                    kill(world, victim, chance)
                else:
                    leases.expire(world, f"two{number}")
                threading.Event().wait(chance.uniform(0.05, 0.5))
            world.check()

        yield attack


def kill(world: World, victim: str, chance: Random) -> None:
    if victim == "supervisor":
        os.kill(world.service.process.pid, signal.SIGKILL)
        world.stop()
        world.start()
        return
    if victim == "database":
        stores.crash()
    else:
        os.kill(chance.choice(world.running(PARTS[victim])), signal.SIGKILL)
    eventually(lambda: world.call("GET", "/stats/site", timeout=5)[0] == 200)
