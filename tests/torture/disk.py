"""The disk is full, nearly full, out of inodes, or takes no byte more in a file, under four clients.

Answers are 200, 201 and 503, reads go on, and with room again everything that was accepted is applied by
itself. A file system of its own needs the right to mount; without it only the limit of files is tried.
"""

import os
import resource
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.small_disk import SmallDisk, mounted
from tests.torture.world import World, eventually, new_folder, opened_world

SHORT, LONG, UNIT = 4, 60, "troubles"
MEBIBYTES = 128
READS = ("/stats/site", "/fetch/search", "/batch/imports", "/fetch/tags")


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with ExitStack() as stack:
        disk = mounted_disk(stack, stack.enter_context(new_folder()) / "disk")
        world = stack.enter_context(opened_world(folder=disk.path if disk else None))

        def attack(number: int, chance: Random) -> None:
            troubles = TROUBLES if disk else TROUBLES[:1]
            with world.clients_at_work(f"d{number}", chance):
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
    """As a quota or a faulty disk: writes beyond the length of the database now fail."""
    processes = [world.service.process.pid, *world.service.processes("")]
    length = (world.instance / "audience.db").stat().st_size + chance.randrange(4096)
    for pid in processes:
        set_limit(pid, length)

    def lift() -> None:
        for pid in world.service.processes(""):
            set_limit(pid, resource.RLIM_INFINITY)

    return lift


Trouble = Callable[[World, Any, Random], Callable[[], None]]
TROUBLES: tuple[Trouble, ...] = (limit_of_files, full, nearly_full, out_of_inodes)


def set_limit(pid: int, length: int) -> None:
    try:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (length, resource.RLIM_INFINITY))
    except ProcessLookupError:
        return
