"""The disk is full, nearly full, out of inodes, or takes no byte more in a file, under four clients.

Or it takes all that is small, and nothing of what a worker is to write, again and again. Now and then an
undo, a bulk action and a file of the console are under way. Answers are 200, 201 and 503, reads go on, and
with room again everything that was accepted is applied by itself: no import is given up.
A file system of its own needs the right to mount; without it only the first two are tried.
"""

import os
import resource
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.small_disk import SmallDisk, mounted
from tests.torture import leases, works
from tests.torture.power import send_large
from tests.torture.world import World, eventually, new_folder, opened_world, preloading

SHORT, LONG, UNIT = 5, 60, "troubles"
MEBIBYTES = 256
LITTLE, ENOUGH, TRIES = 2**16, 2**62, 8  # bytes for a transaction of a worker; of an import that is too large
READS = ("/stats/site", "/fetch/search", "/batch/imports", "/fetch/tags")


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with ExitStack() as stack:
        disk = mounted_disk(stack, stack.enter_context(new_folder()) / "disk")
        folder = disk.path if disk else None
        world = stack.enter_context(
            opened_world(preloading("disk"), folder, before=lambda each: set_room(each / "disk", ENOUGH))
        )

        def attack(number: int, chance: Random) -> None:
            troubles: tuple[Trouble, ...] = TROUBLES if disk else UNMOUNTED
            with works.at_times(world, number), world.clients_at_work(f"d{number}", chance):
                threading.Event().wait(0.3)
                end = troubles[number % len(troubles)](world, disk, chance)
                try:
                    threading.Event().wait(chance.uniform(1.0, 2.0))
                    for path in READS:
                        assert world.ask("GET", path)[0] == 200, f"{path} is not read"
                finally:
                    end()
                threading.Event().wait(0.3)
            status = eventually(lambda: world.call("POST", "/fetch/tags", {"tag": {"name": f"t{number}"}})[0])
            assert status == 201, f"{status} with room again"
            world.check()

        yield attack


def mounted_disk(stack: ExitStack, path: Path) -> SmallDisk | None:
    try:
        return stack.enter_context(mounted(path, MEBIBYTES))
    except pytest.skip.Exception:
        return None


def full(world: World, disk: SmallDisk, chance: Random) -> Callable[[], None]:
    disk.fill()
    return disk.make_room


def nearly_full(world: World, disk: SmallDisk, chance: Random) -> Callable[[], None]:
    disk.fill(chance.randint(1, 200))
    return disk.make_room


def out_of_inodes(world: World, disk: SmallDisk, chance: Random) -> Callable[[], None]:
    used = os.statvfs(disk.path)
    remount(disk, used.f_files - used.f_ffree)
    return lambda: remount(disk, 1_000_000)


def remount(disk: SmallDisk, inodes: int) -> None:
    subprocess.run(["mount", "-o", f"remount,nr_inodes={inodes}", str(disk.path)], check=True)


def limit_of_files(world: World, disk: SmallDisk | None, chance: Random) -> Callable[[], None]:
    """Makes writes beyond the length of the database fail, as a quota or a faulty disk does."""
    processes = [world.service.process.pid, *world.service.processes("")]
    length = (world.instance / "audience.db").stat().st_size + chance.randrange(4096)
    for pid in processes:
        set_limit(pid, length)

    def lift() -> None:
        for pid in world.service.processes(""):
            set_limit(pid, resource.RLIM_INFINITY)

    return lift


def room_for_little(world: World, disk: SmallDisk | None, chance: Random) -> Callable[[], None]:
    """Leaves a worker only enough room to note that it has failed, each time."""
    room = Path(world.settings["TORTURE_DISK"])
    set_room(room, LITTLE)
    send_large(world, f"large{chance.random()}")
    leases.retry_at_once(world, TRIES)
    return lambda: set_room(room, ENOUGH)


def set_room(file: Path, octets: int) -> None:
    """Writes the room into the file in place, because workers map it."""
    with file.open("r+b" if file.exists() else "wb") as opened_file:
        opened_file.write(struct.pack("q", octets))


Trouble = Callable[[World, Any, Random], Callable[[], None]]
UNMOUNTED: tuple[Trouble, ...] = (limit_of_files, room_for_little)
TROUBLES: tuple[Trouble, ...] = (*UNMOUNTED, full, nearly_full, out_of_inodes)


def set_limit(pid: int, length: int) -> None:
    try:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (length, resource.RLIM_INFINITY))
    except ProcessLookupError:
        return
