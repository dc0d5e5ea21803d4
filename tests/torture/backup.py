"""Backups made under load, then with bytes flipped, cut off or swapped; and commands that are stopped.

A backup is restored whole or refused in words, with the instance as it was; with the log alone, on another
machine, whoever unsubscribed after it stays so. A backup, a restore, a migration and a move that are killed
at any step, or find the disk full, leave nothing half written, and are whole when they are repeated; imports
that wait are applied then. On a server it is migrations, moves, and restores beside the former database.
"""

import csv
import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from app import open_instance
from audience.access import sites
from audience.config import Settings
from audience.operations import site_lane
from storage import database
from tests.service import command, environment, free_port
from tests.small_disk import SmallDisk
from tests.storage import instance_before
from tests.torture import stores
from tests.torture.disk import mounted_disk
from tests.torture.doors import OPEN
from tests.torture.world import ROOT, World, new_folder, opened_world, preloading

SHORT, LONG, UNIT = 8, 200, "backups, restores, migrations and moves"
MOST_STEPS = {"backup": 500, "restore": 1_700, "migrate": 800, "move": 2_000}  # of preload_stop
MOST_ON_SERVER = MOST_STEPS | {"restore": 5_000}
MOST_STOPS, MOST_PAGES = 4, 500
LATE, LEFT = "late@example.org", "p4@example.org"  # of an import that waits in the old instance
Done = subprocess.CompletedProcess[str]
EXAMINED = ("database", "counters", "values", "migrations")


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_world() as world, new_folder() as folder, ExitStack() as stack:
        attacks = (migrate_stopped, restore_on_server_stopped, move_stopped) if stores.server else ATTACKS
        disk = mounted_disk(stack, folder / "disk")

        def attack(number: int, chance: Random) -> None:
            place = (disk.path if disk else folder) / str(number)
            place.mkdir()
            attacks[number % len(attacks)](world, Place(place, disk, chance), number)
            shutil.rmtree(place)

        yield attack


@dataclass
class Place:
    """A folder in which commands are stopped, on a small disk where mounting is allowed."""

    folder: Path
    disk: SmallDisk | None
    chance: Random

    def stop(self, settings: Settings, *words: str) -> None:
        """Runs a command that is killed, or has little room, several times, and then to its end."""
        for _ in range(self.chance.randint(1, MOST_STOPS)):
            if self.disk and self.chance.random() < 0.5:
                done = self._with_little_room(self.disk, settings, *words)
            else:
                steps = MOST_ON_SERVER if stores.server else MOST_STEPS
                step = str(self.chance.randrange(1, steps[words[0]]))
                done = run(settings, *words, **preloading("stop") | {"TORTURE_STOP": step})
                assert done.returncode in (0, -signal.SIGKILL), done.stderr
            if done.returncode == 0:
                return
        done = run(settings, *words)
        assert done.returncode == 0, done.stderr

    def _with_little_room(self, disk: SmallDisk, settings: Settings, *words: str) -> Done:
        disk.fill(self.chance.randrange(MOST_PAGES))
        try:
            done = run(settings, *words)
        finally:
            disk.make_room()
        assert done.returncode in (0, 1), done.stderr
        if done.returncode:
            assert_refused(done)
        return done


def assert_refused(done: Done) -> None:
    """Asserts that a command was refused with a sentence, not a traceback."""
    assert done.stderr.splitlines()[-1].startswith("audience: "), done.stderr
    assert "Traceback" not in done.stderr, done.stderr


def restore_damaged(world: World, place: Place, number: int) -> None:
    file, damaged = place.folder / "good.tar", place.folder / "damaged.tar"
    person = {"email": f"named{number}@example.com", "first_name": "Unmistakable"}
    assert world.call("POST", "/fetch/subscribers", {"subscriber": person})[0] == 201
    world.ledger.left[person["email"]] = False
    accepted = world.ledger.left.keys() - world.ledger.unsure
    with world.clients_at_work(f"b{number}", place.chance):
        assert run(Settings(instance=world.instance), "backup", str(file)).returncode == 0
    world.check()
    restore_elsewhere(world, place.folder / "elsewhere", file)
    damaged.write_bytes(damage(file.read_bytes(), number, place.chance))
    whole = restored(place.folder / "whole", file)
    assert not [email for email in accepted if email not in whole], "of those who were there before"
    instance = Settings(instance=shutil.copytree(place.folder / "whole", place.folder / "instance"))
    before = exported(instance)
    again = run(instance, "restore", str(damaged), "--yes")
    if again.returncode:
        assert_refused(again)
    assert exported(instance) == before == whole, "neither the backup nor what was there"


def back_up_stopped(world: World, place: Place, number: int) -> None:
    """Checks that only a whole backup has the backup's name, and nothing else is left. The same for the
    restore.
    """
    file, instance = place.folder / "stopped.tar", Settings(instance=place.folder / "instance")
    with world.clients_at_work(f"s{number}", place.chance):
        place.stop(Settings(instance=world.instance), "backup", str(file))
    assert [*place.folder.iterdir()] == [file]
    place.stop(instance, "restore", str(file), "--yes")
    assert not [*instance.instance.glob(".audience-*")]
    assert exported(instance) == restored(place.folder / "whole", file)
    world.check()


def restore_on_server_stopped(world: World, place: Place, number: int) -> None:
    """Restores into an empty database, with the former one. Nobody of the backup is lost, and whoever
    unsubscribed or was erased since stays so.
    """
    file, served, erased = place.folder / "server.tar", world.stored.settings, f"erased{number}@example.com"
    with world.clients_at_work(f"r{number}", place.chance):
        assert world.call("POST", "/fetch/subscribers", {"subscriber": {"email": erased}})[0] == 201
        assert run(served, "site", "list").returncode == 0
    world.ledger.left[erased] = False
    world.check()
    before = world.ledger.left.keys() - world.ledger.doubtful - {erased}
    with world.clients_at_work(f"s{number}", place.chance):
        assert run(served, "backup", str(file)).returncode == 0
        assert run(served, "subscriber", "erase", erased, "--yes").returncode == 0
    del world.ledger.left[erased]
    unsubscribe(world, place.chance.sample(sorted(before), 5))
    world.check()
    restored = Settings(instance=place.folder / "restored", database_url=stores.new_url())
    place.stop(restored, "restore", str(file), "--yes", "--former", world.url)
    assert not [*restored.instance.glob(".audience-*")]
    rows = csv.DictReader(exported(restored).splitlines())
    left = {row["email"]: bool(row["unsubscribed_at"]) for row in rows}
    assert not before - left.keys(), "of those who were there before"
    assert erased not in left
    assert_left(world, {email for email in left if not left[email]})


def unsubscribe(world: World, emails: list[str]) -> None:
    for email in emails:
        command = {"command": [{"command": "unsubscribe", "email": email}]}
        assert world.ask("POST", "/fetch/commands", command)[0] in (200, 201)
        world.ledger.left[email] = True


def migrate_stopped(world: World, place: Place, number: int) -> None:
    """Migrates an older instance, in which an import waits. It is whole in the end."""
    instance = old_instance(place.folder / "old")
    place.stop(instance, "migrate", "--backed-up")
    examine(instance)


def move_stopped(world: World, place: Place, number: int) -> None:
    """Moves an instance, in which an import waits. It has moved whole in the end, and is left once."""
    instance = old_instance(place.folder / "old")
    assert run(instance, "migrate", "--backed-up").returncode == 0
    before = exported(instance)
    url = place.chance.choice([stores.new_url(), ""]) or f"sqlite:///{place.folder / 'new.db'}"
    place.stop(instance, "move", "--to", url)
    assert run(instance, "site", "list").returncode == 1, "the old database is used"
    moved = replace(instance, database_url=url)
    assert exported(moved) == before
    examine(moved)


def old_instance(folder: Path) -> Settings:
    folder.mkdir()
    settings = Settings(instance=folder, database_url=stores.new_url())
    with OPEN:
        instance_before.load(settings)
        database.close()
    return settings


def examine(instance: Settings) -> None:
    """Applies what waited, and checks that the doctor finds nothing wrong."""
    with OPEN:
        open_instance(instance)
        for site in sites.list_all():
            site_lane.drain(site.id, 60)
        database.close()
    rows = csv.DictReader(exported(instance).splitlines())
    people = {row["email"]: bool(row["unsubscribed_at"]) for row in rows}
    assert (people[LATE], people[LEFT]) == (False, True), people
    doctor = json.loads(run(instance, "doctor", "--offline", "--recount", "--json").stdout)["findings"]
    bad = [each for each in doctor if each["state"] == "bad" and each["check"] in EXAMINED]
    assert not bad, bad


def restore_elsewhere(world: World, folder: Path, file: Path) -> None:
    """Restores as if the database were lost. The log alone must keep the unsubscribes that clients were told
    of.
    """
    folder.mkdir()
    shutil.copy2(world.instance / "erasures.log", folder)
    rows = csv.DictReader(restored(folder, file).splitlines())
    assert_left(world, {row["email"] for row in rows if not row["unsubscribed_at"]})


def assert_left(world: World, subscribed: set[str]) -> None:
    """Asserts that nobody is subscribed who was told that they are unsubscribed."""
    sure = world.ledger.left.keys() - world.ledger.unsure - world.ledger.doubtful
    back = [email for email in subscribed & sure if world.ledger.left[email]]
    assert not back, f"subscribed though they unsubscribed: {back[:9]}"


def damage(octets: bytes, number: int, chance: Random) -> bytes:
    """The backup with one damage. The first kind is one that the database itself would not notice."""
    if number == 0:
        return octets.replace(b"Unmistakable", b"Unmistakible")
    how = chance.choice(["flip", "cut", "swap", "blank", "repeat"])
    at = chance.choice([chance.randrange(len(octets)), chance.randrange(min(2_048, len(octets)))])
    if how == "cut":
        return octets[:at]
    if how == "flip":
        return octets[:at] + bytes([octets[at] ^ 1 << chance.randrange(8)]) + octets[at + 1 :]
    if how == "blank":
        return octets[:at] + bytes(len(octets[at : at + 512])) + octets[at + 512 :]
    other = chance.randrange(len(octets))
    piece = octets[other : other + 512]
    return octets[:at] + piece + octets[at + (len(piece) if how == "swap" else 0) :]


def restored(folder: Path, file: Path) -> str:
    outcome = run(Settings(instance=folder), "restore", str(file), "--yes")
    assert outcome.returncode == 0, outcome.stderr
    return exported(Settings(instance=folder))


def exported(instance: Settings) -> str:
    site = json.loads(run(instance, "site", "list", "--json").stdout)[0]["site_uuid"]
    return run(instance, "export", "--site", site).stdout


def run(settings: Settings, *words: str, **more: str) -> Done:
    url = {"AUDIENCE_DATABASE_URL": settings.database_url}
    return subprocess.run(
        command(*words), env=environment(settings.instance, free_port(), **url | more), cwd=ROOT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


ATTACKS = (restore_damaged, migrate_stopped, back_up_stopped, move_stopped)
