"""Backups made under load, then with bytes flipped, cut off or swapped; and migrations killed at a statement.

A backup is restored whole or refused in words, with the instance as it was; with the log alone, on another
machine, whoever unsubscribed after it stays so. A killed migration goes on where it stood.
"""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.service import command, environment, free_port
from tests.storage.instance_before import ON_SQLITE
from tests.torture.world import ROOT, World, new_folder, opened_world

SHORT, LONG, UNIT = 6, 200, "backups and migrations"
KILLED = """
import os, signal, sys
from pathlib import Path
from playhouse.apsw_ext import APSWDatabase
import app
from audience.config import Settings

left, execute = [int(sys.argv[2])], APSWDatabase.execute_sql

def counted(*arguments, **named):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return execute(*arguments, **named)

APSWDatabase.execute_sql = counted
app.open_instance(Settings(instance=Path(sys.argv[1])))
"""
MOST_STATEMENTS = 40
EXAMINED = ("database", "counters", "values", "migrations")


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_world() as world, new_folder() as folder:

        def attack(number: int, chance: Random) -> None:
            if number % 2:
                migrate_killed(folder / f"old{number}", chance)
            else:
                restore_damaged(world, folder / f"new{number}", number, chance)

        yield attack


def restore_damaged(world: World, folder: Path, number: int, chance: Random) -> None:
    folder.mkdir()
    file, damaged = folder / "good.tar", folder / "damaged.tar"
    person = {"email": f"named{number}@example.com", "first_name": "Unmistakable"}
    assert world.call("POST", "/fetch/subscribers", {"subscriber": person})[0] == 201
    world.ledger.left[person["email"]] = False
    accepted = world.ledger.left.keys() - world.ledger.unsure
    with world.clients_at_work(f"b{number}", chance):
        assert run(world.instance, "backup", str(file)).returncode == 0
    world.check()
    restore_elsewhere(world, folder / "elsewhere", file)
    damaged.write_bytes(damage(file.read_bytes(), number, chance))
    whole = restored(folder / "whole", file)
    assert not [email for email in accepted if email not in whole], "of those who were there before"
    instance = shutil.copytree(folder / "whole", folder / "instance")
    before = exported(instance)
    again = run(instance, "restore", str(damaged), "--yes")
    if again.returncode:
        assert again.stderr.splitlines()[-1].startswith("audience: "), again.stderr
        assert "Traceback" not in again.stderr, again.stderr
    assert exported(instance) == before == whole, "neither the backup nor what was there"
    shutil.rmtree(folder)


def restore_elsewhere(world: World, folder: Path, file: Path) -> None:
    """As if the database were lost: what clients were told of unsubscribes holds by the log alone."""
    folder.mkdir()
    shutil.copy2(world.instance / "erasures.log", folder)
    rows = csv.DictReader(restored(folder, file).splitlines())
    subscribed = {row["email"] for row in rows if not row["unsubscribed_at"]}
    sure = world.ledger.left.keys() - world.ledger.unsure - world.ledger.doubtful
    back = [email for email in subscribed & sure if world.ledger.left[email]]
    assert not back, f"subscribed though they unsubscribed: {back[:9]}"


def damage(octets: bytes, number: int, chance: Random) -> bytes:
    """The first is one that the database itself would not notice."""
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


def restored(instance: Path, file: Path) -> str:
    outcome = run(instance, "restore", str(file), "--yes")
    assert outcome.returncode == 0, outcome.stderr
    return exported(instance)


def exported(instance: Path) -> str:
    site = json.loads(run(instance, "site", "list", "--json").stdout)[0]["site_uuid"]
    return run(instance, "export", "--site", site).stdout


def run(instance: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words),
        env=environment(instance, free_port()),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def migrate_killed(folder: Path, chance: Random) -> None:
    """Killed again and again before a statement, an older instance is migrated whole in the end."""
    folder.mkdir()
    (folder / "pepper").write_bytes(b"p" * 32)
    prepare = "import sys, apsw; apsw.Connection(sys.argv[1]).execute(open(sys.argv[2]).read())"
    python(prepare, str(folder / "audience.db"), str(ON_SQLITE))
    kills, ended = 0, -signal.SIGKILL
    while ended == -signal.SIGKILL:
        statement = chance.randrange(1, MOST_STATEMENTS) if kills < 5 else 10**9
        ended = python(KILLED, str(folder), str(statement))
        kills += 1
    assert ended == 0, f"exit status {ended} after {kills - 1} kills"
    assert "ann@example.com" in exported(folder).lower()
    doctor = json.loads(run(folder, "doctor", "--offline", "--recount", "--json").stdout)["findings"]
    bad = [
        each
        for each in doctor
        if each["state"] == "bad" and each["check"] in ("database", "counters", "values", "migrations")
    ]
    assert not bad, bad
    shutil.rmtree(folder)


def python(code: str, *words: str) -> int:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("AUDIENCE_")}
    return subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, env=environ, check=False).returncode
