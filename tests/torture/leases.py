"""Leases of a running service: held by another worker, or expired while their worker still works."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from audience import clock
from audience.changes.changes import change_from_item
from audience.imports import payloads as import_payloads
from audience.subscribers import subscribers
from storage import database, jobs, leases
from storage.imports import file_uploads, imports
from tests.service import until
from tests.torture.world import World
from workers import heartbeat

HELD_MS = 50_000
AHEAD_MS = 30 * 86_400_000  # no file is a day old, whatever the service's clock says
KINDS = ("import", "webhook", "file")
SWEEPS = 2
ROWS = 10_000  # many transactions of one import
EXPIRIES, SECONDS_APART = 15, 0.1


@contextmanager
def opened_database(world: World) -> Iterator[None]:
    """Opens the service's database in this process, too."""
    with world.stored.opened():
        yield


def hold(world: World, number: int) -> None:
    """Claims an import, a webhook and a file as another worker would. The service must leave them alone.

    Leases go by the machine's uptime. Other imports go on meanwhile; this one is done once it is given back.
    """
    webhook = {"url": "https://hooks.example.com/", "paused": True}
    made = world.call("POST", "/fetch/webhooks", {"webhook": webhook})[1]["data"]["id"]
    with opened_database(world):
        lease = _take(world, f"held{number}@example.com", made)
        for _ in range(SWEEPS):
            beat = _last_beat(world)
            until(partial(_beats_since, world, beat))
        taken = _taken(lease)
        _give_back()
    assert not taken, f"taken from whoever holds it: {taken}"
    world.call("DELETE", f"/fetch/webhooks/{made}")


def _take(world: World, email: str, webhook_id: str) -> int:
    with database.write():
        [(site_id,)] = database.rows("SELECT id FROM sites")
        now = leases.now(clock.uptime_ms())
        lease = now + HELD_MS
        accepted = subscribers.accept_now(site_id)
        import_id = imports.add(site_id, 1, 0, accepted.at, accepted.number)
        payload = import_payloads.join([import_payloads.row(change_from_item({"email": email}))])
        imports.add_batch(site_id, import_id, 0, payload)
        jobs.add(site_id, "import", import_id, accepted.number)
        upload_id = file_uploads.add(site_id, "none", "none.csv", 1, "{}", accepted.at + AHEAD_MS)
        database.execute("UPDATE webhooks SET paused = '' WHERE id = ?", (int(webhook_id),))
        jobs.add(site_id, "webhook", int(webhook_id))
        for kind, subject in zip(KINDS, (import_id, int(webhook_id), upload_id), strict=True):
            held = (
                "UPDATE jobs SET claim = 'somebody', not_before = ?, wait_ms = ? "
                "WHERE kind = ? AND subject = ?"
            )
            assert database.execute(held, (lease, HELD_MS, kind, subject))
    world.ledger.left[email] = False
    world.ledger.imports[str(import_id)] = 1
    return lease


def _last_beat(world: World) -> int:
    """A number that changes with each sweep of the worker."""
    return (world.instance / heartbeat.FILE).stat().st_mtime_ns


def _beats_since(world: World, last: int) -> bool:
    return _last_beat(world) != last


@database.session()
def _taken(lease: int) -> set[str]:
    """The kinds of held jobs that the service has claimed."""
    held = database.rows("SELECT kind FROM jobs WHERE claim = 'somebody' AND not_before = ?", (lease,))
    return {*KINDS} - {kind for (kind,) in held}


def _give_back() -> None:
    with database.write():
        database.execute("UPDATE jobs SET claim = NULL, not_before = 0 WHERE claim = 'somebody'")


def expire(world: World, name: str) -> None:
    """Repeatedly claims an import from the worker that is at it, as a second worker that is then killed."""
    people = [f"{name}-{each}@example.com" for each in range(ROWS)]
    path = "/batch/imports?consent=subscribed"
    status, answer = world.ask("POST", path, "\n".join(["email", *people, ""]).encode())
    assert status == 200, answer
    world.ledger.left.update(dict.fromkeys(people, False))
    world.ledger.imports[answer["data"]["id"]] = len(people)
    with opened_database(world):
        for _ in range(EXPIRIES):
            with database.write():
                database.execute(
                    "UPDATE jobs SET claim = 'x', not_before = 0 WHERE kind = 'import' AND claim IS NOT NULL"
                )
            threading.Event().wait(SECONDS_APART)


def retry_at_once(world: World, times: int) -> None:
    """Makes jobs that a worker has put off due at once, `times` times, or until one is given up."""
    with opened_database(world):
        retried = 0
        while retried < times and not _is_given_up():
            with database.write():
                retried += database.execute(
                    "UPDATE jobs SET not_before = 0 "
                    "WHERE kind IN ('import', 'undo') AND status = 'waiting' AND claim IS NULL "
                    "AND not_before > ?",
                    (leases.now(clock.uptime_ms()),),
                )
            threading.Event().wait(SECONDS_APART)


@database.session()
def _is_given_up() -> bool:
    return bool(database.row("SELECT 1 FROM imports WHERE status = 'failed'"))


def end_of_file(world: World) -> None:
    """Ends the lease of a file, as if its worker had been killed long ago."""
    with opened_database(world), database.write():
        database.execute(
            "UPDATE jobs SET claim = 'x', not_before = 0 WHERE kind = 'file' AND claim IS NOT NULL"
        )
