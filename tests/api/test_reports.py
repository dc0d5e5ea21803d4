"""Reports: save, replace, delete, and the data of each type (docs/contract.md, Reports)."""

import datetime as dt

import pytest

from audience import clock
from audience.access import sites
from audience.access.keys import KNOWN_MS
from audience.links import links, unsubscribing
from audience.links.links import Links
from audience.reports.report_types import TYPES
from storage import database
from storage.access import site_counters
from storage.imports import imports
from storage.subscribers import events
from storage.subscribers.events import Event
from tests import response_assertions, stored_people
from tests.audience.undo.test_undos import put
from tests.stored_people import person

DAY = 86_400_000
NOW = int(dt.datetime(2026, 8, 31, 12, tzinfo=dt.UTC).timestamp() * 1000)
WEEK = {"from": "2026-08-25", "to": "2026-08-31"}


@pytest.fixture(autouse=True)
def today(monkeypatch):
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)


def name(kind):
    hosted = f"Reporting::Reports::{kind}Report"
    return f"{kind}Report" if kind == "Leaving" else hosted


def draft(kind, settings=None, **more):
    return {"report": {"name": kind, "report_type": name(kind), "settings": settings or {}, **more}}


def save(client, kind, settings=None, **more):
    return response_assertions.answer(client.post("/fetch/reports", draft(kind, settings, **more)), 201)[
        "data"
    ]


def run(client, kind, settings=None, **more):
    """Saves a report; returns its data."""
    id_ = save(client, kind, settings, **more)["id"]
    return response_assertions.report_data(response_assertions.answer(client.get(f"/stats/reports/{id_}")))


def series(data):
    """Points by series, as `{name: {x: y}}`."""
    points: dict[str, dict[str, int]] = {}
    for point in data["points"]:
        points.setdefault(point["g"], {})[point["x"]] = point["y"]
    return points


def store(site, *records):
    """Records are (address, days ago created, days ago unsubscribed or None, fields, tags)."""
    return stored_people.store(
        site.id,
        [
            person(
                email, fields=fields, tags=tags, created_at=NOW - int(came * DAY),
                unsubscribed_at=None if gone is None else NOW - int(gone * DAY),
            )
            for email, came, gone, fields, tags in records
        ],
    )  # fmt: skip


SUBSCRIBERS = [
    ("ann@example.com", 0, None, {"plan": "pro", "likes": ["a", "b"]}, ["vip"]),
    ("bob@example.com", 2, 1, {"plan": "free", "likes": ["a", "a"]}, []),
    ("cyd@example.org", 2.25, 0, {"plan": "pro", "likes": {"a": 1}}, ["vip", "old"]),
    ("dan@example.org", 40, 3, {"plan": True}, ["old"]),
    ("eve@example.com", 400, None, {"plan": 5}, []),
]
DATES = [f"2026-08-{day}" for day in range(25, 32)]


def days(*numbers):
    return dict(zip(DATES, numbers, strict=True))


@pytest.mark.parametrize(("kind", "options", "expected"), [
    ("NewVisitors", WEEK, {"New people": days(0, 0, 0, 0, 2, 0, 1)}),
    ("NewVisitors", {"days": 7}, {"New people": days(0, 0, 0, 0, 2, 0, 1)}),
    ("Unsubscribes", WEEK, {"Unsubscribes": days(0, 0, 0, 1, 0, 1, 1)}),
    ("NetGrowth", WEEK, {"Net growth": days(0, 0, 0, -1, 2, -1, 0)}),
    ("TotalVisitors", WEEK, {"People": days(2, 2, 2, 2, 4, 4, 5)}),
    ("NewVisitors", {**WEEK, "unit": "week"}, {"New people": {"2026-08-24": 2, "2026-08-31": 1}}),
    ("NewVisitors", {**WEEK, "unit": "month"}, {"New people": {"2026-08-01": 3}}),
    ("TotalVisitors", {"from": "2026-06-15", "to": "2026-08-31", "unit": "month"},
     {"People": {"2026-06-01": 1, "2026-07-01": 2, "2026-08-01": 5}}),
    ("VisitorsByTag", {}, {"People": {"vip": 2, "old": 2}}),
    ("VisitorsByTag", {"days": 7}, {"People": {"vip": 2, "old": 1}}),
    ("VisitorsByField", {"field": "plan"}, {"People": {"pro": 2, "5": 1, "free": 1, "true": 1}}),
    ("VisitorsByField", {"field": "plan", "limit": 1}, {"People": {"pro": 2}}),
    ("VisitorsByField", {"field": "likes"}, {"People": {"a": 2, "b": 1, "1": 1}}),
    ("VisitorsByField", {"field": "nothing"}, {}),
    ("VisitorsByTag", {"from": "1999-12-31"}, {"People": {"vip": 2, "old": 2}}),
    ("VisitorsByDomain", {}, {"People": {"example.com": 3, "example.org": 2}}),
    ("VisitorsByDomain", {"days": 7}, {"People": {"example.com": 2, "example.org": 1}}),
    ("VisitorsByDomain", {"days": 7, "limit": 1}, {"People": {"example.com": 2}}),
])  # fmt: skip
def test_subscriber_counts(client, other_client, kind, options, expected):
    store(client.site, *SUBSCRIBERS)
    store(other_client.site, SUBSCRIBERS[0], SUBSCRIBERS[3])
    assert series(run(client, kind, options)) == expected


@pytest.mark.parametrize(("options", "value"), [({}, 5), ({"days": 3}, 3), ({"to": "2026-07-31"}, 1)])
def test_the_count_report(client, options, value):
    store(client.site, *SUBSCRIBERS)
    assert run(client, "VisitorCount", options) == {"value": value}


@pytest.mark.parametrize(("kind", "options", "expected"), [
    ("NewVisitors", WEEK, {"New people": days(0, 0, 0, 0, 1, 0, 1)}),
    ("Unsubscribes", WEEK, {"Unsubscribes": days(0, 0, 0, 0, 0, 0, 1)}),
    ("NetGrowth", WEEK, {"Net growth": days(0, 0, 0, 0, 1, 0, 0)}),
    ("TotalVisitors", WEEK, {"People": days(0, 0, 0, 0, 1, 1, 2)}),
    ("VisitorsByTag", {}, {"People": {"vip": 2, "old": 1}}),
    ("VisitorsByField", {"field": "plan"}, {"People": {"pro": 2}}),
    ("VisitorsByDomain", {}, {"People": {"example.com": 1, "example.org": 1}}),
    ("VisitorsByDomain", {"days": 1}, {"People": {"example.com": 1}}),
])  # fmt: skip
def test_a_report_is_limited_to_a_segment(client, kind, options, expected):
    store(client.site, *SUBSCRIBERS)
    rules = {"all": [{"tag": "vip"}, {"field": "plan", "is": "PRO"}]}
    segment = client.post("/fetch/segments", {"segment": {"name": "VIP", "rules": rules}}).json["data"]["id"]
    assert series(run(client, kind, options, segment_id=segment)) == expected
    assert run(client, "VisitorCount", {}, segment_id=segment) == {"value": 2}


@pytest.fixture
def done(client):
    """Stores events: two common types and nine rare ones."""
    ids = store(client.site, *SUBSCRIBERS)
    ann, bob = ids["ann@example.com"], ids["bob@example.com"]
    happened = [
        (ann, "visit", 0),
        (bob, "visit", 0),
        (bob, "visit", 3),
        (ann, "$purchase", 3),
        (bob, "visit", 99),
    ]
    happened += [(ann, f"rare {number}", 6) for number in range(9)]
    with database.write():
        events.add(
            [Event(who, type_, "{}", None, NOW - ago * DAY) for who, type_, ago in happened],
            site_id=client.site.id,
            created_at=NOW,
        )


def test_events_per_type(client, done):
    points = series(run(client, "Events", WEEK))
    assert list(points) == ["visit", "$purchase", *(f"rare {number}" for number in range(8))]
    assert points["visit"] == days(0, 0, 0, 1, 0, 0, 2)
    assert points["$purchase"] == days(0, 0, 0, 1, 0, 0, 0)
    assert series(run(client, "Events", {**WEEK, "event": "visit"})) == {"visit": points["visit"]}
    assert series(run(client, "Events", {**WEEK, "event": "never"})) == {"never": days(*[0] * 7)}
    rules = {"email": "bob@example.com"}
    segment = client.post("/fetch/segments", {"segment": {"name": "Bob", "rules": rules}}).json["data"]["id"]
    assert series(run(client, "Events", WEEK, segment_id=segment)) == {
        "visit": points["visit"] | {DATES[6]: 1}
    }


def test_import_outcomes(client):
    client.post("/batch/subscribers", {"subscribers": [{"email": "ann@example.com"}]})
    client.post("/batch/subscribers", {"subscribers": [{"email": "ann@example.com", "plan": "pro"}]})
    client.post("/batch/subscribers", {"subscribers": [{"email": "ann@example.com"}, {"email": "nonsense"}]})
    with database.write():
        imports.add(
            client.site.id,
            0,
            4,
            NOW - 3 * DAY,
            site_counters.take_acceptance_number(client.site.id, NOW).number,
        )
    none = days(*[0] * 7)
    assert series(run(client, "Imports", WEEK)) == {
        "created": none | {DATES[6]: 1},
        "updated": none | {DATES[6]: 1},
        "unchanged": none | {DATES[6]: 1},
        "failed": none | {DATES[6]: 1, DATES[3]: 4},
    }


@pytest.fixture
def left(client):
    """Ann and Bo unsubscribed by a link, Cy and Ann once more by a command; Di never confirmed."""
    for email, reason in (("ann", "too_many"), ("bo", "too_many"), ("cy", "")):
        person = client.create(f"{email}@example.com", plan=email)
        if reason:
            urls = Links(client.site, "https://people.example").urls(
                person["attributes"]["uuid"], f"{email}@example.com"
            )
            link = links.read(links.UNSUBSCRIBE, urls["unsubscribe"].rpartition("/")[2])
            assert link is not None
            unsubscribing.unsubscribe(link, reason)
    for email, word in (("ann", "subscribe"), ("ann", "unsubscribe"), ("cy", "unsubscribe")):
        body = {"command": [{"command": word, "email": f"{email}@example.com"}]}
        assert client.post("/fetch/commands", body).status_code == 200
    put(client.site, {"email": "di@example.com", "unconfirmed": True})


def test_unsubscribes_by_reason_and_source(client, left):
    expected = {"command": {"word": 2, "too_many": 0}, "link": {"word": 0, "too_many": 2}}
    assert series(run(client, "Leaving")) == series(run(client, "Leaving", {"days": 1})) == expected
    assert run(client, "Leaving", {"from": "2001-01-01", "to": "2001-01-31"}) == {"points": []}
    assert series(run(client, "Leaving", {"limit": 1}))["link"] == {"too_many": 2}


def test_unsubscribes_of_a_segment_by_reason(client, left):
    segment = {"segment": {"name": "Bo", "rules": {"field": "plan", "is": "bo"}}}
    id_ = client.post("/fetch/segments", segment).json["data"]["id"]
    assert series(run(client, "Leaving", segment_id=id_)) == {"link": {"too_many": 1}}


def test_days_follow_the_sites_time_zone(client, monkeypatch):
    evening = (NOW - int(dt.datetime(2026, 8, 30, 23, 30, tzinfo=dt.UTC).timestamp() * 1000)) / DAY
    store(client.site, ("ann@example.com", evening, None, {}, []))
    assert series(run(client, "NewVisitors", {"days": 2})) == {
        "New people": {"2026-08-30": 1, "2026-08-31": 0}
    }
    sites.set_time_zone(client.site, "Europe/Berlin")
    uptime = clock.uptime_ms() + KNOWN_MS
    monkeypatch.setattr(clock, "uptime_ms", lambda: uptime)
    assert series(run(client, "NewVisitors", {"days": 2})) == {
        "New people": {"2026-08-30": 0, "2026-08-31": 1}
    }


@pytest.mark.parametrize("kind", [kind.rpartition(":")[2].removesuffix("Report") for kind in TYPES])
def test_every_report_type_works_on_an_empty_site(client, kind):
    data = run(client, kind, {"field": "plan"})
    assert data.get("value", 0) == 0
    assert all(point["y"] == 0 for point in data.get("points", []))


def test_a_report_is_current(client):
    id_ = save(client, "VisitorCount")["id"]
    for number in range(3):
        assert response_assertions.answer(client.get(f"/stats/reports/{id_}"))["data"] == {"value": number}
        client.create(f"p{number}@example.com")


def test_a_name_is_counted_like_a_field(client):
    for email, name in (("a@example.com", "Ann"), ("b@example.com", "Ann"), ("c@example.com", "Bo")):
        client.create(email, first_name=name)
    client.create("d@example.com")
    points = series(run(client, "VisitorsByField", {"field": "first_name"}))
    assert points == {"People": {"Ann": 2, "Bo": 1}}


@pytest.mark.parametrize(
    "rules", [{"tag": "vip"}, {"field": "plan", "is": "pro"}, {"event": "visit"}], ids=str
)
def test_a_name_is_counted_of_those_in_the_segment_alone(client, rules):
    client.create("a@example.com", first_name="Ann", tags="vip", plan="pro")
    client.create("b@example.com", first_name="Bo")
    client.post("/batch/events", {"events": [{"email": "a@example.com", "type": "visit"}]})
    segment = client.post("/fetch/segments", {"segment": {"name": "VIP", "rules": rules}}).json["data"]["id"]
    for options in ({}, {"days": 7}):
        report = run(client, "VisitorsByField", {"field": "first_name", **options}, segment_id=segment)
        assert series(report) == {"People": {"Ann": 1}}
