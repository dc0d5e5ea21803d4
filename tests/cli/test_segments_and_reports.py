"""`audience segment`, `audience report` and a site's time zone, as an operator types them."""

import json

import pytest

from audience import sites
from audience.cli.charts import draw

PRO = '{"field": "plan", "is": "pro"}'


@pytest.fixture
def type_(run, door):
    """Types a command about the door's site; what it prints, or the JSON of it."""
    return lambda *words, **options: run(*words, "--site", door.site.uuid, **options)


@pytest.fixture
def people(door):
    door.create("ann@example.com", fields={"plan": "pro"})
    door.create("bob@example.com", fields={"plan": "\x1b[31mfree"})


def test_a_segment_is_previewed_saved_counted_and_deleted(type_, people):
    assert "1 people: 1 subscribed, 0 unsubscribed\n  ann@example.com" in type_("segment", "preview", PRO)
    stats = {"user_count": 1, "subscriber_count": 1, "unsubscriber_count": 0}
    assert type_("segment", "preview", PRO, "--json") == stats | {"emails": ["ann@example.com"]}
    assert type_("segment", "list", "--json") == []
    saved = type_("segment", "create", "Pro", PRO, "--description", "Paying", "--json")
    assert saved["attributes"]["rules"] == json.loads(PRO)
    assert type_("segment", "list", "--json") == [saved]
    assert "Pro" in type_("segment", "list")
    assert type_("segment", "show", saved["id"], "--json") == saved | {"stats": stats}
    assert "1 people" in type_("segment", "show", saved["id"])
    type_("segment", "delete", saved["id"])
    assert type_("segment", "list") == ""
    type_("segment", "show", saved["id"], exit_code=1)


def test_a_mistake_in_rules_is_shown_with_its_path(type_):
    assert "segment.rules.all[0].tag: Send" in type_(
        "segment", "preview", '{"all": [{"tag": 5}]}', exit_code=1
    )
    assert "segment.name: Send" in type_("segment", "create", " ", PRO, exit_code=1)
    assert "must be JSON" in type_("segment", "preview", "{tag: vip}", exit_code=2)


def test_a_report_is_saved_drawn_and_deleted(type_, people):
    kind = "Reporting::Reports::VisitorsByFieldReport"
    saved = type_("report", "create", "Plans", kind, "--set", "field=plan", "--set", "limit=5", "--json")
    assert saved["attributes"]["settings"] == {"field": "plan", "limit": 5}
    answer = type_("report", "show", saved["id"], "--json")
    assert [point["y"] for point in answer["data"]["points"]] == [1, 1]
    drawn = type_("report", "show", saved["id"])
    assert "Plans\nPeople\n" in drawn
    assert "pro" in drawn
    assert "█" in drawn
    assert "\x1b" not in drawn
    assert "Plans" in type_("report", "list")
    assert type_("report", "list", "--json")[-1] == saved
    type_("report", "delete", saved["id"])
    type_("report", "show", saved["id"], exit_code=1)
    assert "report.settings.field" in type_("report", "create", "Plans", kind, exit_code=1)


def test_the_first_reports_are_drawn(type_, people):
    for row in type_("report", "list", "--json"):
        assert row["attributes"]["name"] in type_("report", "show", row["id"])


def test_bars_are_as_long_as_the_numbers(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    points = [
        {"x": "a", "y": 10, "g": "One"},
        {"x": "bb", "y": -5, "g": "One"},
        {"x": "c", "y": 0, "g": "Two"},
    ]
    one, first, second, two, third = draw({"points": points})
    assert (one, two) == ("One", "Two")
    assert first.split()[:2] == ["a", "10"]
    assert len(first.split()[2]) == 2 * len(second.split()[2]) == 40 - 2 - 2 - 4
    assert third.split() == ["c", "0"]
    assert list(draw({"value": 1234567})) == ["1,234,567"]
    assert list(draw({"points": []})) == ["Nothing yet."]


def test_a_site_has_a_time_zone(run):
    uuid = run("site", "create", "News", "--time-zone", "Europe/Berlin", "--json")["site_uuid"]
    assert sites.named(uuid).time_zone == "Europe/Berlin"
    run("site", "time-zone", uuid, "Asia/Kathmandu")
    assert run("site", "list", "--json")[0]["time_zone"] == "Asia/Kathmandu"
    for wrong in ("Berlin", "../../etc/passwd", ""):
        run("site", "time-zone", uuid, wrong, exit_code=1)
    assert sites.named(uuid).time_zone == "Asia/Kathmandu"
