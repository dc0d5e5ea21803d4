"""A site to look around in: people who do not exist, and what they did in the last 90 days."""

import csv
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

from audience import addresses, clock, events, sites, subscribers
from audience.ports import Progress
from audience.sites import NewKey, Site
from audience.subscribers import Change, Consent
from storage import database

NAME = "Demo"
PEOPLE = 10_000
DAYS = 90
DAY = 86_400_000  # milliseconds
CHUNK = 500
GROWTH = 0.7  # below 1: more people come each day than the day before
LEAVES = 0.08
EVENTS = {0: 30, 1: 22, 2: 16, 3: 12, 5: 12, 8: 8}  # how many somebody causes, with weights

Event = tuple[str, int, dict[str, Any]]  # type, instant in milliseconds, details


@dataclass(frozen=True)
class Invented:
    """Somebody, and what they did, in order."""

    change: Change
    events: Sequence[Event]


def create(instance: Path, people: int, progress: Progress) -> tuple[Site, NewKey]:
    """Makes the site and fills it; cut off, it takes the site away again."""
    site = sites.create(NAME)
    try:
        done = 0
        for chunk in _chunks(invent(people, clock.now())):
            _write(site.id, chunk)
            done += len(chunk)
            progress("Inventing", done, people)
        return site, sites.create_key([site])
    except BaseException:
        sites.delete(site, instance, progress)
        raise


def _chunks(invented: Iterator[Invented]) -> Iterator[list[Invented]]:
    while chunk := list(islice(invented, CHUNK)):
        yield chunk


@database.write()
def _write(site_id: int, chunk: Sequence[Invented]) -> None:
    subscribers.write(site_id, [each.change for each in chunk])
    happened = [
        (replace(each.change, event_at=at), type_, {"details": details})
        for each in chunk
        for type_, at, details in each.events
    ]
    events.add(site_id, happened, clock.now())


def invent(people: int, now: int) -> Iterator[Invented]:
    """People in the order of their coming; the same at every call, but for the time."""
    chance = random.Random(NAME)
    inventor = _Inventor(chance, now)
    ages = sorted((DAYS * DAY * (1 - chance.random() ** GROWTH) for _ in range(people)), reverse=True)
    for age in ages:
        yield inventor.somebody(now - int(age))


class _Inventor:
    """Draws people from the bundled tables."""

    def __init__(self, chance: random.Random, now: int) -> None:
        self._chance = chance
        self._now = now
        self._words = tomllib.loads((files("audience.data") / "demo" / "people.toml").read_text("utf-8"))
        self._surnames = self._words["surnames"].split()
        self._first_names = _first_names()
        self._taken: set[str] = set()

    def somebody(self, created_at: int) -> Invented:
        first, last = self._draw(self._first_names), self._chance.choice(self._surnames)
        address = self._address(first.lower(), last.lower())
        leaves = self._chance.random() < LEAVES
        left_at = self._between(created_at, self._now) if leaves else None
        caused = sorted(self._events(created_at, left_at or self._now), key=lambda event: event[1])
        change = Change(
            email=address,
            key=addresses.identity(address),
            at=left_at or created_at,
            first_name=first,
            last_name=last,
            fields={key: self._draw(values) for key, values in self._words["fields"].items()}
            | {"seats": self._chance.randint(1, 40)},
            tags=[
                tag for tag, percent in self._words["tags"].items() if self._chance.random() < percent / 100
            ],
            consent=Consent.UNSUBSCRIBE if leaves else None,
            event_at=caused[-1][1] if caused else None,
            dates={
                "created_at": created_at,
                "updated_at": max([left_at or created_at, *(at for _, at, _ in caused)]),
            },
        )
        return Invented(change, caused)

    def _address(self, first: str, last: str) -> str:
        local = self._chance.choice(
            (f"{first}.{last}", f"{first[0]}{last}", f"{first}_{last}", f"{first}{last[0]}")
        )
        domain = self._draw(self._words["domains"])
        address, number = f"{local}@{domain}", 1
        while address in self._taken:
            number += 1
            address = f"{local}{number}@{domain}"
        self._taken.add(address)
        return address

    def _events(self, since: int, until: int) -> Iterator[Event]:
        for _ in range(self._draw(EVENTS)):
            type_ = self._draw(self._words["events"])
            yield type_, self._between(since, until), self._details(type_)

    def _details(self, type_: str) -> dict[str, Any]:
        if type_ == "$purchase":
            return {"value": self._chance.choice((9, 19, 49, 99)), "currency": "USD"}
        return {"page": self._draw(self._words["pages"])} if type_ == "$page_view" else {}

    def _between(self, since: int, until: int) -> int:
        return self._chance.randint(since, max(since, until))

    def _draw(self, weights: Mapping[Any, float]) -> Any:
        return self._chance.choices(list(weights), list(weights.values()))[0]


def _first_names() -> dict[str, float]:
    """Percent of the men and women who bear a name, for the common ones."""
    lines = (files("audience.data") / "gender" / "census1990_first_names.csv").read_text("utf-8").splitlines()
    borne = {
        row["name"].title(): float(row["male_pct"] or 0) + float(row["female_pct"] or 0)
        for row in csv.DictReader(lines)
    }
    return {name: percent for name, percent in borne.items() if percent >= 0.1}
