"""`audience mirror` follows random writes, in all forms.

Mirrors, web processes and workers are killed. After each hundred writes each is equal to the exports.
"""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random

from tests import mirrors
from tests.mirrors import Follower
from tests.torture import stores
from tests.torture.world import World, opened_world

SHORT, LONG, UNIT = 3, 100, "hundreds of writes"
WRITES, WRITERS = 100, 6
PARTS = ("app worker", "app web")


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with (
        opened_world() as world,
        mirrors.following(
            [*mirrors.files(world.instance.parent), *([stores.new_url()] if stores.server else [])],
            world.service,
        ) as followers,
    ):

        def attack(number: int, chance: Random) -> dict[str, float]:
            for act in (kill_mirror, kill_part, kill_part, start_again):
                with ThreadPoolExecutor(WRITERS) as pool:
                    writes = [pool.submit(write, world, Random(chance.random())) for _ in range(WRITES // 4)]
                    act(world, followers, chance)
                for each in writes:
                    each.result()
            people, events = mirrors.wait_for(followers, world.service)
            return {"people": len(people), "events": len(events)}

        yield attack


def write(world: World, chance: Random) -> None:
    mirrors.write(world.service.call, chance)


def kill_mirror(_: World, followers: list[Follower], chance: Random) -> None:
    chance.choice(followers).kill()


def kill_part(world: World, _: list[Follower], chance: Random) -> None:
    if stores.server and chance.random() < 0.2:
        stores.crash()
    else:
        os.kill(chance.choice(world.running(chance.choice(PARTS))), signal.SIGKILL)


def start_again(_: World, followers: list[Follower], chance: Random) -> None:
    for follower in followers:
        if follower.process.poll() is not None:
            assert follower.process.returncode == -signal.SIGKILL, "a mirror ended by itself"
            follower.start()
