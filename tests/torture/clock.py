"""The wall clock is set an hour or a day ahead or back under four clients; at once somebody unsubscribes.

Whoever unsubscribed stays so, whatever the clock says, imports end, and nothing runs out early but what goes
by dates. What a worker has claimed stays its own.
"""

import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from audience import clock
from tests.torture import leases
from tests.torture.world import World, opened_world, preloading

SHORT, LONG, UNIT = 10, 500, "steps of the clock"
HELD_EVERY = 5
HOUR_NS = 3_600 * 10**9
STEPS_NS = (-24 * HOUR_NS, -HOUR_NS, -(10**6), 10**6, HOUR_NS, 24 * HOUR_NS)


@contextmanager
def opened(short: bool) -> Iterator[object]:
    shifts, real = [0], clock.now_ms
    with (
        opened_world(before=write_shift, settings=preloading("clock")) as world,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(clock, "now_ms", lambda: real() + shifts[0] // 10**6)  # bulk actions are begun here

        def attack(number: int, chance: Random) -> None:
            with world.clients_at_work(f"c{number}", chance, doors=1):
                threading.Event().wait(chance.uniform(0.1, 0.4))
                shifts[0] = (shifts[0] + chance.choice(STEPS_NS)) if chance.random() < 0.8 else 0
                write_shift(world.instance.parent, shifts[0])
                leave(world, f"left{number}@example.com", chance)
                threading.Event().wait(chance.uniform(0.1, 0.4))
                if number % HELD_EVERY == 0:
                    leases.hold(world, number)
            world.check()

        yield attack


def write_shift(folder: Path, nanoseconds: int = 0) -> None:
    """Writes the shift into the file in place, because the processes of the service map it."""
    file = folder / "clock"
    with file.open("r+b" if file.exists() else "wb") as opened_file:
        opened_file.write(struct.pack("q", nanoseconds))


def leave(world: World, email: str, chance: Random) -> None:
    """Unsubscribes an address, one way or another. Later rows that say nothing of consent must change
    nothing.
    """
    world.ask("POST", "/fetch/subscribers", {"subscriber": {"email": email}})
    word = {"email": email, "command": "unsubscribe"}
    path, body = chance.choice(
        [
            ("/fetch/commands", {"command": word}),
            ("/batch/subscribers", {"subscribers": [word]}),
            ("/batch/events", {"events": [{"email": email, "type": "$unsubscribe"}]}),
        ]
    )
    assert world.ask("POST", path, body)[0] == 200
    world.ask("POST", "/batch/subscribers", {"subscribers": [{"email": email, "plan": "x"}] * 2})
    world.ledger.left[email] = True
