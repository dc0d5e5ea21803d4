"""A demo site: fictional subscribers, and their events of the last 90 days."""

import csv
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

from audience import addresses, clock, events, keys, sites, subscribers
from audience.keys import NewKey
from audience.protocols import Progress
from audience.sites import Site
from audience.subscribers import Change, Consent
from storage import database, site_counters

NAME = "Demo"
SUBSCRIBERS = 10_000
DAYS = 90
DAY_MS = 86_400_000
CHUNK_ROWS = 500
GROWTH = 0.7  # below 1: each day has more new subscribers than the day before
UNSUBSCRIBE_SHARE = 0.08
EVENT_COUNTS = {0: 30, 1: 22, 2: 16, 3: 12, 5: 12, 8: 8}  # events per subscriber, with weights

DemoEvent = tuple[str, int, dict[str, Any]]  # type, instant in milliseconds, details


@dataclass(frozen=True)
class FictionalSubscriber:
    """`events` are in order of time."""

    change: Change
    events: Sequence[DemoEvent]


def create(instance: Path, count: int, progress: Progress) -> tuple[Site, NewKey]:
    """Creates and fills the site; deletes it again when interrupted."""
    site = sites.create(NAME)
    try:
        done = 0
        for chunk in _chunks(generate(count, clock.now_ms())):
            _write(site.id, chunk)
            done += len(chunk)
            progress("Creating", done, count)
        return site, keys.create([site])
    except BaseException:
        sites.delete(site, instance, progress)
        raise


def _chunks(generated: Iterator[FictionalSubscriber]) -> Iterator[list[FictionalSubscriber]]:
    while chunk := list(islice(generated, CHUNK_ROWS)):
        yield chunk


@database.write()
def _write(site_id: int, chunk: Sequence[FictionalSubscriber]) -> None:
    changes = [subscriber.change for subscriber in chunk]
    subscribers.write(site_id, changes, site_counters.take(site_id))
    history = [
        (replace(subscriber.change, event_at=at), type_, {"details": details})
        for subscriber in chunk
        for type_, at, details in subscriber.events
    ]
    events.add(site_id, history, clock.now_ms())


def generate(count: int, now_ms: int) -> Iterator[FictionalSubscriber]:
    """Subscribers by time of creation; the same on each call, but relative to `now_ms`."""
    source = random.Random(NAME)
    generator = _Generator(source, now_ms)
    ages = sorted((DAYS * DAY_MS * (1 - source.random() ** GROWTH) for _ in range(count)), reverse=True)
    for age in ages:
        yield generator.subscriber(now_ms - int(age))


class _Generator:
    """Draws subscribers at random from the bundled tables."""

    def __init__(self, source: random.Random, now_ms: int) -> None:
        self._random = source
        self._now_ms = now_ms
        self._words = tomllib.loads((files("audience.data") / "demo" / "people.toml").read_text("utf-8"))
        self._surnames = self._words["surnames"].split()
        self._first_names = _first_names()
        self._taken: set[str] = set()

    def subscriber(self, created_at: int) -> FictionalSubscriber:
        first, last = self._draw(self._first_names), self._random.choice(self._surnames)
        address = self._address(first.lower(), last.lower())
        unsubscribes = self._random.random() < UNSUBSCRIBE_SHARE
        left_at = self._between(created_at, self._now_ms) if unsubscribes else None
        history = sorted(self._events(created_at, left_at or self._now_ms), key=lambda event: event[1])
        change = Change(
            email=address,
            key=addresses.identity(address),
            at=left_at or created_at,
            first_name=first,
            last_name=last,
            fields={key: self._draw(values) for key, values in self._words["fields"].items()}
            | {"seats": self._random.randint(1, 40)},
            tags=[
                tag for tag, percent in self._words["tags"].items() if self._random.random() < percent / 100
            ],
            consent=Consent.UNSUBSCRIBE if unsubscribes else None,
            event_at=history[-1][1] if history else None,
            dates={
                "created_at": created_at,
                "updated_at": max([left_at or created_at, *(at for _, at, _ in history)]),
            },
        )
        return FictionalSubscriber(change, history)

    def _address(self, first: str, last: str) -> str:
        local = self._random.choice(
            (f"{first}.{last}", f"{first[0]}{last}", f"{first}_{last}", f"{first}{last[0]}")
        )
        domain = self._draw(self._words["domains"])
        address, number = f"{local}@{domain}", 1
        while address in self._taken:
            number += 1
            address = f"{local}{number}@{domain}"
        self._taken.add(address)
        return address

    def _events(self, since: int, until: int) -> Iterator[DemoEvent]:
        for _ in range(self._draw(EVENT_COUNTS)):
            type_ = self._draw(self._words["events"])
            yield type_, self._between(since, until), self._details(type_)

    def _details(self, type_: str) -> dict[str, Any]:
        if type_ == "$purchase":
            return {"value": self._random.choice((9, 19, 49, 99)), "currency": "USD"}
        return {"page": self._draw(self._words["pages"])} if type_ == "$page_view" else {}

    def _between(self, since: int, until: int) -> int:
        return self._random.randint(since, max(since, until))

    def _draw(self, weights: Mapping[Any, float]) -> Any:
        return self._random.choices(list(weights), list(weights.values()))[0]


def _first_names() -> dict[str, float]:
    """The common first names, with their percentage of women and men."""
    lines = (files("audience.data") / "gender" / "census1990_first_names.csv").read_text("utf-8").splitlines()
    percentages = {
        row["name"].title(): float(row["male_pct"] or 0) + float(row["female_pct"] or 0)
        for row in csv.DictReader(lines)
    }
    return {name: percent for name, percent in percentages.items() if percent >= 0.1}
