"""Power cuts under four clients: every process stops at once, and the disk forgets what was not synced.

Of each page that differs from what was synced, chance decides which of the two is on the disk. A file that
was not synced is empty; one that was renamed has its old name until the folder is synced. A layer of our own
under SQLite (apsw's VFS) and `os.fsync` does this: `preload_power/sitecustomize.py`. Nothing that was
accepted is lost, and nothing is damaged.
"""

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.service import command, environment, free_port
from tests.torture.world import ROOT, World, opened_world, preloading

SHORT, LONG, UNIT = 3, 50, "power cuts"
PAGE_BYTES = 4096
LARGE_EVERY = 5
DATABASE = ("audience.db", "audience.db-wal", "audience.db-journal")


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_world(preloading("power")) as world:

        def attack(number: int, chance: Random) -> None:
            with world.clients_at_work(f"p{number}", chance):
                if number % LARGE_EVERY == 1:
                    send_large(world, f"large{number}")
                threading.Event().wait(chance.uniform(0.3, 1.5))
                stop_at_once(world)
                world.stop()
            leave_what_was_synced(world.instance, chance)
            examine(world)
            take_as_synced(world.instance)
            world.start()
            world.check()

        yield attack


def send_large(world: World, name: str) -> None:
    """Sends a batch whose transaction exceeds SQLite's cache, so that pages are written before it ends."""
    fields = {"story": "abc " * 15_000, "other": "def " * 3_000}
    emails = [f"{name}-{each}@example.com" for each in range(100)]
    people = [{"email": email, "fields": fields} for email in emails]
    status, answer = world.ask("POST", "/batch/subscribers", {"subscribers": people})
    if status == 200:
        world.ledger.left.update(dict.fromkeys(emails, False))
        world.ledger.imports[answer["import_id"]] = len(people)
    else:
        world.ledger.unsure.update(emails)


def stop_at_once(world: World) -> None:
    """Stops all processes before it kills the first, so that no client is told of later writes."""
    everybody = [world.service.process.pid, *world.service.processes("")]
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in everybody:
            os.kill(pid, number)


def leave_what_was_synced(instance: Path, chance: Random) -> None:
    """Reduces the instance's files to what was synced, as a power cut does."""
    durable = instance.parent / "power"
    names = json.loads((durable / "names").read_text())
    there = {each.name: each for each in instance.iterdir() if each.is_file()}
    for name in there.keys() - names.keys():
        there[name].unlink()
    for name, inode in names.items():
        file, kept = instance / name, durable / str(inode)
        synced = kept.read_bytes() if kept.exists() else b""
        written = file.read_bytes() if file.exists() and file.stat().st_ino == inode else synced
        if name in DATABASE:
            file.write_bytes(mixed(synced, written, chance))
        elif not is_linked(file):
            file.write_bytes(synced)
    shutil.rmtree(durable)


def is_linked(file: Path) -> bool:
    """Whether a file is the linked table of places, which was complete before."""
    return file.exists() and file.stat().st_nlink > 1


def take_as_synced(instance: Path) -> None:
    """Notes the remaining files as synced, because the next service may not sync them before the next cut."""
    durable = instance.parent / "power"
    durable.mkdir()
    files = [each for each in instance.iterdir() if each.is_file()]
    (durable / "names").write_text(json.dumps({each.name: each.stat().st_ino for each in files}))
    for file in files:
        if not is_linked(file):
            shutil.copyfile(file, durable / str(file.stat().st_ino))


def mixed(synced: bytes, written: bytes, chance: Random) -> bytes:
    """A file of pages that are each synced or written, in the length of one of the two."""
    pieces, keeps = [], chance.choice([0.0, 0.5, 1.0])
    for start in range(0, max(len(synced), len(written)), PAGE_BYTES):
        old, new = (each[start : start + PAGE_BYTES] for each in (synced, written))
        pieces.append((new if chance.random() < keeps else old).ljust(PAGE_BYTES, b"\0"))
    length = chance.choice([len(synced), max(len(synced), len(written))])
    return b"".join(pieces)[:length]


def examine(world: World) -> None:
    """Asserts that the doctor finds the database whole, and each counter right."""
    run = subprocess.run(
        command("doctor", "--offline", "--recount", "--json"),
        env=environment(world.instance, free_port()), cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    findings = json.loads(run.stdout)["findings"]
    asked = ("database", "counters", "values", "files", "migrations")
    bad = [each for each in findings if each["state"] == "bad" and each["check"] in asked]
    assert not bad, bad
