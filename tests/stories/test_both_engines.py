"""One story on both engines: the same requests, at the same instants, are answered alike, byte for byte."""

import itertools
import random
import shutil
import uuid
from collections.abc import Callable
from typing import Any

import pytest
import uuid_utils

from app import create_app
from audience import clock
from audience.config import Settings
from audience.operations import site_lane
from storage import database
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, open_client
from tests.depth import examples

REQUESTS = examples(2_000)
START, STEP = 1_790_000_000_000, 37_123  # ms
WORDS = (
    "a",
    "B",
    "straße",
    "STRASSE",
    "ﬁ",
    "İ",
    "Ünïcode 你好",
    'q"\\',
    "10",
    "2026-01-05",
    "1e3",
    "x" * 250,
    "~",
)
DOMAINS = ("example.com", "firm.org", "bücher.example")
DATES = ("2026-09-01", "2026-10-01T10:00:00Z", "1990-01-01", "2999-01-01")
RULES = (
    {"tag": "vip"}, {"not": {"tag": "a"}}, {"status": "unsubscribed"}, {"email": {"contains": "p1"}},
    {"email_domain": {"in": ["firm.org"]}}, {"event": "visit", "at_least": 2},
    {"created_at": {"within_days": 1}},
    {"field": "k", "is": "STRASSE"}, {"field": "k", "contains": "ss"}, {"field": "k", "gt": 5},
    {"field": "n", "lte": 3}, {"field": "k", "is": "x" * 250}, {"field": "first_name", "is": "straße"},
    {"field": "first_name", "gte": "2026-01-01"}, {"field": "none", "missing": True},
    {"any": [{"field": "n", "is": 2}, {"all": [{"tag": "b"}, {"not": {"field": "k", "exists": True}}]}]},
)  # fmt: skip
REPORTS = (
    "VisitorCountReport", "NewVisitorsReport", "UnsubscribesReport", "NetGrowthReport", "TotalVisitorsReport",
    "VisitorsByTagReport", "VisitorsByDomainReport", "EventsReport", "ImportsReport",
)  # fmt: skip


def requests():
    """(method, path, body, query) of a story."""
    r = random.Random(11)

    def email():
        return f"p{r.randrange(60)}@{r.choice(DOMAINS)}"

    def person():
        return {
            "email": email(), "first_name": r.choice(["", *WORDS[:8]]),
            "last_name": r.choice(["", "Lee", "de Ä"]),
            "tags": r.sample(["a", "b", "vip", "Ä", "ä"], r.randrange(3)),
            "fields": {"k": r.choice(WORDS), "n": r.choice([1, 2.5, True, None, [1, "a"], {"x": 7}, 10**15])},
        }  # fmt: skip

    def id_():
        return r.randrange(1, 25)

    def search():
        names = ("created_after", "updated_before", "unsubscribed_after", "last_event_after")
        found: dict[str, Any] = {name: r.choice(DATES) for name in r.sample(names, r.randrange(3))}
        extra: list[dict[str, Any]] = [
            {},
            {"tags": ["vip"]},
            {"tags": ["a", "b"]},
            {"q": r.choice(["p1", "str", "firm"])},
        ]
        return found | r.choice(extra) | {"page": r.randrange(1, 4)}

    def command():
        name = r.choice(["subscribe", "unsubscribe", "add_tag", "remove_tag", "set_field", "change_email"])
        given = {
            "add_tag": {"tag": "vip"},
            "remove_tag": {"tag": "a"},
            "set_field": {"key": "k", "value": "z"},
        }
        other = {"new_email": email()} if name == "change_email" else given.get(name, {})
        return {"command": name, "email": email(), **other}

    def event():
        return {
            "type": r.choice(["visit", "buy"]),
            "email": email(),
            "unique_key": r.choice([None, "u1", "u2"]),
        }

    acts: tuple[Callable[[], Any], ...] = (
        lambda: ("POST", "/fetch/subscribers", {"subscriber": person()}, {}),
        lambda: ("POST", "/batch/subscribers",
                 {"subscribers": [person() for _ in range(r.randrange(30))]}, {}),
        lambda: ("POST", "/batch/events", {"events": [event() for _ in range(r.randrange(1, 9))]}, {}),
        lambda: ("POST", "/fetch/commands", {"command": [command() for _ in range(3)]}, {}),
        lambda: ("GET", "/fetch/subscribers", None, {"email": email()}),
        lambda: ("DELETE", "/fetch/subscribers", None, {"email": email()}) if r.random() < 0.2 else None,
        lambda: ("POST", "/fetch/search", search(), {}),
        lambda: ("GET", "/fetch/fields", None, {"values": "true"}),
        lambda: ("GET", "/fetch/tags", None, {}),
        lambda: ("DELETE", f"/fetch/tags/{id_()}", None, {}) if r.random() < 0.1 else None,
        lambda: ("POST", "/fetch/segments", {"segment": {"name": "S", "rules": r.choice(RULES)}}, {}),
        lambda: ("GET", f"/fetch/segments/{id_()}", None, {}),
        lambda: ("GET", "/fetch/segments", None, {}),
        lambda: ("POST", "/fetch/search", {"segment_id": str(id_())}, {}),
        lambda: ("POST", "/fetch/reports", {"report": {"name": "R", "report_type":
                 f"Reporting::Reports::{r.choice(REPORTS)}",
                 "segment_id": r.choice([None, str(id_())])}}, {}),
        lambda: ("GET", f"/stats/reports/{id_()}", None, {}),
        lambda: ("GET", "/stats/site", None, {}),
        lambda: ("GET", "/batch/imports", None, {}),
    )  # fmt: skip
    while True:
        if act := r.choice(acts)():
            yield act


def told(settings, monkeypatch):
    """The answers of an instance, in order."""
    sites, people, ticks = itertools.count(2**64), itertools.count(1), itertools.count(START, STEP)
    monkeypatch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=next(sites)))  # of peewee's savepoints, too
    monkeypatch.setattr(uuid_utils, "uuid7", lambda: uuid.UUID(int=next(people)))
    now = next(ticks)
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    application = create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses())
    client = open_client(application.test_client())
    answers = []
    for method, path, body, query in itertools.islice(requests(), REQUESTS):
        now = next(ticks)
        answer = client.call(method, path, body, query=query)
        answers.append((f"{method} {path} {body} {query}", answer.status_code, answer.data))
        site_lane.drain(client.site.id, 30)
    database.close()
    return answers


@pytest.fixture
def url(server, migrated_on_server):
    url = server.create(migrated_on_server)
    yield url
    server.drop(url)


def test_the_answers_are_equal(tmp_path, migrated, url, monkeypatch):
    for name in ("file", "server"):
        (tmp_path / name).mkdir()
    shutil.copy(migrated, tmp_path / "file" / migrated.name)
    on_file = told(Settings(instance=tmp_path / "file"), monkeypatch)
    on_server = told(Settings(instance=tmp_path / "server", database_url=url), monkeypatch)
    for one, other in zip(on_file, on_server, strict=True):
        assert one == other
    assert {status for _, status, _ in on_file} >= {200, 201, 404, 422}
