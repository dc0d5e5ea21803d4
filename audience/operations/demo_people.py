"""Fictional subscribers over two years: with seasons, campaigns, letters every week, and leaving."""

import math
import random
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate
from typing import Any

from audience import addresses
from audience.clock import DAY_MS, HOUR_MS
from audience.subscribers.subscribers import Change, Consent

SEED = "Demo"
DAYS = 730
CAMPAIGNS = {
    12: 4.0,
    44: 2.6,
    75: 1.6,
    190: 2.2,
    283: 3.0,
    365: 2.4,
    470: 1.8,
    610: 2.8,
    725: 5.0,
}  # age: lift
CAMPAIGN_DAYS = 3.0
WEEKDAYS = (1.05, 1.2, 1.15, 1.1, 0.95, 0.7, 0.85)
HOURS = (0, 0, 0, 0, 0, 1, 3, 6, 9, 10, 9, 8, 8, 7, 7, 7, 7, 8, 9, 10, 11, 9, 5, 2)
LEAVE_SHARE = 0.13
EVENT_COUNTS = {0: 34, 1: 14, 2: 12, 3: 11, 5: 11, 8: 9, 13: 6, 21: 3}  # events per subscriber, with weights
NO_FIRST_NAME, SHARED_DOMAIN = 0.06, 0.45
UNRELATED = 0.3  # events at any time, not after a letter
LETTER_HOUR, READ_WITHIN_HOURS = 9, 9.0
PLAIN = str.maketrans({
    "ł": "l", "ø": "o", "ß": "ss", "đ": "d", "æ": "ae", "ı": "i", " ": "", "'": "", "-": "",
})  # fmt: skip

DemoEvent = tuple[str, int, dict[str, Any]]  # type, instant in milliseconds, details


@dataclass(frozen=True)
class FictionalSubscriber:
    """A made-up subscriber; `events` are in order of time."""

    change: Change
    events: Sequence[DemoEvent]


def generate(count: int, now_ms: int) -> Iterator[FictionalSubscriber]:
    """Yields made-up subscribers by time of creation; relative to `now_ms`, each call yields the same."""
    source = random.Random(SEED)
    generator = _Generator(source, now_ms)
    for number, created_at in enumerate(sorted(_instants(source, count, now_ms))):
        source.seed(f"{SEED} {number}")  # a seed for each: the hour changes no other subscriber
        yield generator.subscriber(created_at)


def _instants(source: random.Random, count: int, now_ms: int) -> Iterator[int]:
    """Yields instants of creation, in milliseconds: more on some days, in campaigns, as the list grows."""
    ages = range(DAYS)
    cumulative = list(accumulate(_lift(age) for age in ages))
    for age in source.choices(ages, cum_weights=cumulative, k=count):
        hour = source.choices(range(24), HOURS)[0]
        at = (now_ms // DAY_MS - age) * DAY_MS + hour * HOUR_MS + source.randrange(HOUR_MS)
        yield at if at <= now_ms else at - DAY_MS


def _lift(age: int) -> float:
    """How many subscribers join `age` days ago, relative to other days."""
    growth = 1 + 0.9 * (DAYS - age) / DAYS
    season = 1 + 0.3 * math.cos(2 * math.pi * (age - 20) / 365)
    campaigns = sum(lift * math.exp(-(((age - day) / CAMPAIGN_DAYS) ** 2)) for day, lift in CAMPAIGNS.items())
    return growth * season * WEEKDAYS[age % 7] + campaigns


class _Generator:
    """Draws subscribers at random from the bundled table."""

    def __init__(self, source: random.Random, now_ms: int) -> None:
        self._random = source
        self._now_ms = now_ms
        self._words = tomllib.loads((files("audience.data") / "demo" / "people.toml").read_text("utf-8"))
        self._countries = self._words["countries"]
        self._weights = [country["weight"] for country in self._countries]
        self._taken: set[str] = set()

    def subscriber(self, created_at: int) -> FictionalSubscriber:
        country = self._random.choices(self._countries, self._weights)[0]
        first, last = (self._random.choice(country[part].split(", ")) for part in ("first", "last"))
        address = self._address(first, last, country)
        shown_first = "" if self._random.random() < NO_FIRST_NAME else first
        fields, tags = self._fields(country), self._tags()
        left_at = self._unsubscribed_at(created_at)
        history = sorted(self._events(created_at, left_at or self._now_ms), key=lambda event: event[1])
        change = Change(
            email=address,
            key=addresses.identity(address),
            at=left_at or created_at,
            first_name=shown_first,
            last_name=last,
            fields=fields,
            tags=tags,
            consent=Consent.UNSUBSCRIBE if left_at else "",
            event_at=history[-1][1] if history else None,
            dates={
                "created_at": created_at,
                "updated_at": max([left_at or created_at, *(at for _, at, _ in history)]),
            },
        )
        return FictionalSubscriber(change, history)

    def _tags(self) -> list[str]:
        return [tag for tag, percent in self._words["tags"].items() if self._random.random() < percent / 100]

    def _fields(self, country: Mapping[str, Any]) -> dict[str, Any]:
        interests = {self._draw("interests") for _ in range(self._random.randrange(4))}
        return {
            "country": country["country"],
            "city": self._random.choice(country["cities"].split(", ")),
            "plan": self._draw("plan"),
            "source": self._draw("source"),
            "orders": int(self._random.expovariate(0.6)),
        } | ({"interests": sorted(interests)} if interests else {})

    def _address(self, first: str, last: str, country: Mapping[str, Any]) -> str:
        """An address made of the name, at a domain of the country, that no other subscriber has."""
        name, family = _plain(first), _plain(last)
        local = self._random.choice(
            (f"{name}.{family}", f"{name}{family[0]}", f"{name[0]}.{family}", name + family)
        )
        shared = self._random.random() < SHARED_DOMAIN
        domain = (
            self._draw("shared_domains") if shared else self._random.choice(country["domains"].split(", "))
        )
        address, number = f"{local}@{domain}", 1
        while address in self._taken:
            number += 1
            address = f"{local}{number}@{domain}"
        self._taken.add(address)
        return address

    def _unsubscribed_at(self, created_at: int) -> int | None:
        """When a subscriber unsubscribes, in milliseconds, or None: mostly within months, after a letter."""
        if self._random.random() > LEAVE_SHARE * 1.4:
            return None
        at = self._read_at(created_at + int(self._random.expovariate(1 / 160) * DAY_MS))
        return at if created_at < at < self._now_ms else None

    def _read_at(self, at: int) -> int:
        """An instant after the newsletter of that week, in milliseconds."""
        week = 7 * DAY_MS
        letter = (
            at // week * week + 5 * DAY_MS + LETTER_HOUR * HOUR_MS
        )  # weeks of the epoch begin on Thursday
        return letter + int(self._random.expovariate(1 / READ_WITHIN_HOURS) * HOUR_MS)

    def _events(self, since: int, until: int) -> Iterator[DemoEvent]:
        for _ in range(self._random.choices(list(EVENT_COUNTS), list(EVENT_COUNTS.values()))[0]):
            at = self._random.randint(since, max(since, until))
            at = at if self._random.random() < UNRELATED else self._read_at(at)
            if since <= at <= until:
                type_ = self._draw("events")
                yield type_, at, self._details(type_)

    def _details(self, type_: str) -> dict[str, Any]:
        if type_ == "$purchase":
            order = self._random.randrange(10_000, 30_000)
            return {"order": order, "value": self._random.choice((9, 14.5, 19, 38.5, 64)), "currency": "EUR"}
        return {"page": self._draw("pages")} if type_ == "$page_view" else {"letter": self._draw("letters")}

    def _draw(self, table: str) -> Any:
        weights = self._words[table]
        return self._random.choices(list(weights), list(weights.values()))[0]


def _plain(name: str) -> str:
    """A name as in an address: in small letters, without accents."""
    letters = unicodedata.normalize("NFKD", name.lower().translate(PLAIN))
    return "".join(letter for letter in letters if letter.isascii() and letter.isalnum())
