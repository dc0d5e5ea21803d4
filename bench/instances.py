"""Instances to measure: filled once, then used by one bench after another."""

import contextlib
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from audience import clock
from audience.access import sites
from audience.access.sites import Site
from audience.changes.changes import Change, change_from_item
from audience.clock import DAY_MS
from audience.config import Settings
from audience.operations import first_site
from audience.operations.opening import CACHE_MB
from audience.privacy import pepper
from audience.subscribers import subscribers
from bench import people
from storage import database
from storage.subscribers import events
from storage.subscribers.events import Event
from tests.service import Service, serving, until

BATCH = 10_000
SPAN_MS = 365 * DAY_MS


@contextlib.contextmanager
def filled(instance: str | None, total: int) -> Iterator[Path]:
    """The folder of an instance with people on its first site: that given, or a new one."""
    if instance is not None:
        yield Path(instance)
        return
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), total)
        yield Path(folder)


@contextlib.contextmanager
def open_instance(instance: Path, log: Path | None = None) -> Iterator[Site]:
    """Its first site, with its database open in this process."""
    pepper.open(instance / pepper.FILE)
    database.open(Settings(instance=instance).database, cache_mb=CACHE_MB, erasure_log=log)
    yield sites.choose()
    database.close()


@contextlib.contextmanager
def served(instance: Path, log: IO[str] | None = None, **settings: str) -> Iterator[Service]:
    """A service that has packed its places, with as many web processes as where nothing is set."""
    web = {"AUDIENCE_LOG_LEVEL": "warning", "AUDIENCE_WEB_WORKERS": str(Settings().web_workers)}
    with serving(instance, log, ("serve",), **web | settings) as service:
        until(lambda: (instance / "geo.table").exists())
        yield service


def make(instance: Path, total: int) -> None:
    settings = Settings(instance=instance)
    pepper.open(instance / pepper.FILE)
    database.open(settings.database)
    database.migrate()
    first_site.ensure(settings)
    fill(sites.choose(), total)
    database.checkpoint()
    database.close()


def fill(site: Site, total: int) -> None:
    """A year of subscribers, each with four custom values, two tags, one event; a tenth unsubscribed."""
    at, chance = clock.now_ms(), random.Random(7)
    for first in range(0, total, BATCH):
        numbers = range(first, min(first + BATCH, total))
        batch = [_person(number, at - SPAN_MS + SPAN_MS * number // total, chance) for number in numbers]
        with database.write():
            accepted = subscribers.accept_now(site.id)._replace(at=2**62)  # some dates are after now
            ids = subscribers.write(site.id, batch, accepted).ids
            events.add(
                [_event(ids[event.key], event, chance) for event in batch], site_id=site.id, created_at=at
            )
        database.checkpoint(only_if_due=True)


def _person(number: int, created_at: int, chance: random.Random) -> Change:
    dates = {"created_at": created_at, "updated_at": created_at + chance.randrange(SPAN_MS)}
    if number % 3:
        dates["last_event_at"] = created_at + chance.randrange(30 * DAY_MS)
    if number % 10 == 0:
        dates["unsubscribed_at"] = created_at + 1000
    return change_from_item(people.item(number))._replace(dates=dates)


def _event(subscriber_id: int, row: Change, chance: random.Random) -> Event:
    return Event(
        subscriber_id,
        chance.choice(["$purchase", "visit", "open"]),
        "{}",
        None,
        row.dates["created_at"] + chance.randrange(DAY_MS),
    )
