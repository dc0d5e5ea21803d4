"""Reports: save, replace, delete, and the numbers of each type (spec section 4.16, contract section 4)."""

import datetime as dt

import pytest

from audience import addresses, clock, sites
from audience.reports import TYPES
from storage import database, events, imports, subscribers, tags
from storage.events import EventRow
from storage.subscribers import Person
from tests import shapes

DAY = 86_400_000
NOW = int(dt.datetime(2026, 8, 31, 12, tzinfo=dt.UTC).timestamp() * 1000)
WEEK = {"from": "2026-08-25", "to": "2026-08-31"}


@pytest.fixture(autouse=True)
def today(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: NOW)


def name(kind):
    return f"Reporting::Reports::{kind}Report"


def draft(kind, settings=None, **more):
    return {"report": {"name": kind, "report_type": name(kind), "settings": settings or {}, **more}}


def save(door, kind, settings=None, **more):
    return shapes.answer(door.post("/fetch/reports", draft(kind, settings, **more)), 201)["data"]


def run(door, kind, settings=None, **more):
    """The data of a new report."""
    id_ = save(door, kind, settings, **more)["id"]
    return shapes.report_data(shapes.answer(door.get(f"/stats/reports/{id_}")))


def series(data):
    """Points by series, as `{name: {x: y}}`."""
    found = {}
    for point in data["points"]:
        found.setdefault(point["g"], {})[point["x"]] = point["y"]
    return found


@database.write()
def keep(site, *people):
    """People as (address, days ago created, days ago unsubscribed or None, fields, tags)."""
    names = sorted({tag for person in people for tag in person[4]})
    tags.add(site.id, [(tag, tag.casefold()) for tag in names], NOW)
    numbers = tags.ids(site.id, [tag.casefold() for tag in names])
    subscribers.save(
        site.id,
        [
            Person(
                0, email, email, addresses.identity(email), fields=fields, created_at=NOW - int(came * DAY),
                unsubscribed_at=None if gone is None else NOW - int(gone * DAY),
            )
            for email, came, gone, fields, _ in people
        ],
    )  # fmt: skip
    ids = subscribers.ids(site.id, [addresses.identity(person[0]) for person in people])
    for email, _, _, _, borne in people:
        tags.link(site.id, [(numbers[tag.casefold()], ids[addresses.identity(email)]) for tag in borne])
    return ids


PEOPLE = [
    ("ann@example.com", 0, None, {"plan": "pro", "likes": ["a", "b"]}, ["vip"]),
    ("bob@example.com", 2, 1, {"plan": "free", "likes": ["a", "a"]}, []),
    ("cyd@example.org", 2.25, 0, {"plan": "pro", "likes": {"a": 1}}, ["vip", "old"]),
    ("dan@example.org", 40, 3, {"plan": True}, ["old"]),
    ("eve@example.com", 400, None, {"plan": 5}, []),
]
DATES = [f"2026-08-{day}" for day in range(25, 32)]


def days(*numbers):
    return dict(zip(DATES, numbers, strict=True))


@pytest.mark.parametrize(("kind", "asked", "expected"), [
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
def test_the_numbers_of_people(door, stranger, kind, asked, expected):
    keep(door.site, *PEOPLE)
    keep(stranger.site, PEOPLE[0], PEOPLE[3])
    assert series(run(door, kind, asked)) == expected


@pytest.mark.parametrize(("asked", "value"), [({}, 5), ({"days": 3}, 3), ({"to": "2026-07-31"}, 1)])
def test_the_single_count(door, asked, value):
    keep(door.site, *PEOPLE)
    assert run(door, "VisitorCount", asked) == {"value": value}


@pytest.mark.parametrize(("kind", "asked", "expected"), [
    ("NewVisitors", WEEK, {"New people": days(0, 0, 0, 0, 1, 0, 1)}),
    ("Unsubscribes", WEEK, {"Unsubscribes": days(0, 0, 0, 0, 0, 0, 1)}),
    ("NetGrowth", WEEK, {"Net growth": days(0, 0, 0, 0, 1, 0, 0)}),
    ("TotalVisitors", WEEK, {"People": days(0, 0, 0, 0, 1, 1, 2)}),
    ("VisitorsByTag", {}, {"People": {"vip": 2, "old": 1}}),
    ("VisitorsByField", {"field": "plan"}, {"People": {"pro": 2}}),
    ("VisitorsByDomain", {}, {"People": {"example.com": 1, "example.org": 1}}),
    ("VisitorsByDomain", {"days": 1}, {"People": {"example.com": 1}}),
])  # fmt: skip
def test_a_segment_narrows_a_report(door, kind, asked, expected):
    keep(door.site, *PEOPLE)
    rules = {"all": [{"tag": "vip"}, {"field": "plan", "is": "PRO"}]}
    segment = door.post("/fetch/segments", {"segment": {"name": "VIP", "rules": rules}}).json["data"]["id"]
    assert series(run(door, kind, asked, segment_id=segment)) == expected
    assert run(door, "VisitorCount", {}, segment_id=segment) == {"value": 2}


@pytest.fixture
def done(door):
    """Events: two types, and nine rarer ones."""
    ids = keep(door.site, *PEOPLE)
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
            door.site.id,
            [EventRow(who, type_, "{}", None, NOW - ago * DAY) for who, type_, ago in happened],
            NOW,
        )


def test_events_per_type(door, done):
    found = series(run(door, "Events", WEEK))
    assert list(found) == ["visit", "$purchase", *(f"rare {number}" for number in range(8))]
    assert found["visit"] == days(0, 0, 0, 1, 0, 0, 2)
    assert found["$purchase"] == days(0, 0, 0, 1, 0, 0, 0)
    assert series(run(door, "Events", {**WEEK, "event": "visit"})) == {"visit": found["visit"]}
    assert series(run(door, "Events", {**WEEK, "event": "never"})) == {"never": days(*[0] * 7)}
    rules = {"email": "bob@example.com"}
    segment = door.post("/fetch/segments", {"segment": {"name": "Bob", "rules": rules}}).json["data"]["id"]
    assert series(run(door, "Events", WEEK, segment_id=segment)) == {"visit": found["visit"] | {DATES[6]: 1}}


def test_import_outcomes(door):
    door.post("/batch/subscribers", {"subscribers": [{"email": "ann@example.com"}]})
    door.post("/batch/subscribers", {"subscribers": [{"email": "ann@example.com", "plan": "pro"}]})
    door.post("/batch/subscribers", {"subscribers": [{"email": "ann@example.com"}, {"email": "nonsense"}]})
    with database.write():
        imports.add(door.site.id, 0, 4, NOW - 3 * DAY)
    none = days(*[0] * 7)
    assert series(run(door, "Imports", WEEK)) == {
        "created": none | {DATES[6]: 1},
        "updated": none | {DATES[6]: 1},
        "unchanged": none | {DATES[6]: 1},
        "failed": none | {DATES[6]: 1, DATES[3]: 4},
    }


def test_days_are_those_of_the_sites_clock(door):
    evening = (NOW - int(dt.datetime(2026, 8, 30, 23, 30, tzinfo=dt.UTC).timestamp() * 1000)) / DAY
    keep(door.site, ("ann@example.com", evening, None, {}, []))
    assert series(run(door, "NewVisitors", {"days": 2})) == {"New people": {"2026-08-30": 1, "2026-08-31": 0}}
    sites.set_time_zone(door.site, "Europe/Berlin")
    assert series(run(door, "NewVisitors", {"days": 2})) == {"New people": {"2026-08-30": 0, "2026-08-31": 1}}


@pytest.mark.parametrize("kind", [kind.split("::")[2].removesuffix("Report") for kind in TYPES])
def test_every_type_answers_on_an_empty_site(door, kind):
    data = run(door, kind, {"field": "plan"})
    assert data.get("value", 0) == 0
    assert all(point["y"] == 0 for point in data.get("points", []))


def test_a_report_is_fresh_at_once(door):
    id_ = save(door, "VisitorCount")["id"]
    for number in range(3):
        assert shapes.answer(door.get(f"/stats/reports/{id_}"))["data"] == {"value": number}
        door.create(f"p{number}@example.com")


def test_a_new_site_starts_with_reports_that_answer(door, stranger):
    listed = shapes.answer(door.get("/fetch/reports"))["data"]
    assert [each["attributes"]["name"] for each in listed] == [
        "People", "New people", "Unsubscribes", "Net growth", "Total people", "People per tag",
        "People per e-mail domain", "Events", "Imports",
    ]  # fmt: skip
    for each in listed:
        attributes = shapes.report(each)
        answer = shapes.answer(door.get("/stats/report", query={"report_id": each["id"]}))
        shapes.report_data(answer)
        assert answer["report_name"] == attributes["name"]
        assert answer["chart_style"] == attributes["chart_style"]
        assert answer == shapes.answer(door.get(f"/stats/reports/{each['id']}"))
        shapes.error(stranger.get(f"/stats/reports/{each['id']}"), 404)


def test_a_report_is_saved_replaced_and_deleted(door):
    report = save(door, "NewVisitors", {"days": "7", "unit": "week", "other": 1})
    attributes = shapes.report(report)
    assert (attributes["chart_style"], attributes["segment_id"]) == ("column_chart", None)
    assert attributes["settings"] == {"days": 7, "unit": "week"}
    path = f"/fetch/reports/{report['id']}"
    assert shapes.answer(door.get(path))["data"] == report
    segment = door.post("/fetch/segments", {"segment": {"name": "All", "rules": {"all": []}}}).json["data"][
        "id"
    ]
    body = draft("TotalVisitors", chart_style="line_chart", segment_id=segment)
    replaced = shapes.answer(door.call("PUT", path, body))["data"]
    assert shapes.report(replaced) == attributes | {
        "name": "TotalVisitors", "report_type": name("TotalVisitors"), "chart_style": "line_chart",
        "segment_id": segment, "settings": {},
    }  # fmt: skip
    assert shapes.answer(door.get(path))["data"] == replaced
    assert shapes.answer(door.delete(path))["data"] == replaced
    shapes.error(door.get(path), 404)


@pytest.mark.parametrize("id_", ["0", "999", "x", "1.0", "9" * 30, "%20"])
def test_a_report_that_is_not_there_is_a_404_everywhere(door, id_):
    for response in (
        door.get(f"/fetch/reports/{id_}"),
        door.call("PUT", f"/fetch/reports/{id_}", draft("VisitorCount")),
        door.delete(f"/fetch/reports/{id_}"),
        door.get(f"/stats/reports/{id_}"),
        door.get("/stats/report", query={"report_id": id_}),
    ):
        shapes.error(response, 404)
        assert response.json["error"].startswith("Report not found")


@pytest.mark.parametrize(("report", "fields"), [
    ({}, ["report.name", "report.report_type"]),
    ({"name": "x", "report_type": "VisitorCount"}, ["report.report_type"]),
    ({"name": " ", "report_type": name("VisitorCount")}, ["report.name"]),
    (draft("VisitorsByField")["report"], ["report.settings.field"]),
    (draft("VisitorCount", chart_style="line_chart")["report"], ["report.chart_style"]),
    (draft("NewVisitors", chart_style="count")["report"], ["report.chart_style"]),
    (draft("Imports", segment_id="1")["report"], ["report.segment_id"]),
    (draft("NewVisitors", {"unit": "year"})["report"], ["report.settings.unit"]),
    (draft("NewVisitors", {"days": 0})["report"], ["report.settings.days"]),
    (draft("NewVisitors", {"days": 3_661})["report"], ["report.settings.days"]),
    (draft("NewVisitors", {"days": True})["report"], ["report.settings.days"]),
    (draft("NewVisitors", {"from": "1969-12-31", "to": "x"})["report"],
     ["report.settings.from", "report.settings.to"]),
    (draft("NewVisitors", {"from": "2026-02-02", "to": "2026-02-01"})["report"], ["report.settings.to"]),
])  # fmt: skip
def test_a_bad_report_is_refused(door, report, fields):
    before = door.get("/fetch/reports").json
    assert shapes.error_fields(door.post("/fetch/reports", {"report": report})) == fields
    assert door.get("/fetch/reports").json == before


def test_a_segment_that_is_not_there_is_a_404(door, stranger):
    theirs = stranger.post("/fetch/segments", {"segment": {"name": "All", "rules": {"all": []}}}).json[
        "data"
    ]["id"]
    for segment in (theirs, "x"):
        response = door.post("/fetch/reports", draft("VisitorCount", segment_id=segment))
        shapes.error(response, 404)
        assert response.json["error"].startswith("Segment not found")


def test_the_query_of_a_stats_request_needs_an_id(door):
    assert shapes.error_fields(door.get("/stats/report")) == ["report_id"]


def test_a_name_is_counted_like_a_field(door):
    for email, name in (("a@example.com", "Ann"), ("b@example.com", "Ann"), ("c@example.com", "Bo")):
        door.create(email, first_name=name)
    door.create("d@example.com")
    found = series(run(door, "VisitorsByField", {"field": "first_name"}))
    assert found == {"People": {"Ann": 2, "Bo": 1}}
