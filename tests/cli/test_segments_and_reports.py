"""`audience segment`, `audience report` and a site's time zone."""

import json

import pytest

from audience.access import sites
from audience.cli.reports import draw

PRO = '{"field": "plan", "is": "pro"}'


@pytest.fixture
def ask(run, client):
    """Runs a command on the site of `client`; returns its output, or its JSON."""
    return lambda *words, **options: run(*words, "--site", client.site.uuid, **options)


@pytest.fixture
def stored(client):
    client.create("ann@example.com", fields={"plan": "pro"})
    client.create("bob@example.com", fields={"plan": "\x1b[31mfree"})


def test_a_segment_is_previewed_saved_counted_and_deleted(ask, stored):
    assert "1 in all: 1 subscribed, 0 unsubscribed\n  ann@example.com" in ask("segment", "preview", PRO)
    stats = {"user_count": 1, "subscriber_count": 1, "unsubscriber_count": 0}
    assert ask("segment", "preview", PRO, "--json") == stats | {"emails": ["ann@example.com"]}
    assert ask("segment", "list", "--json") == []
    saved = ask("segment", "create", "Pro", PRO, "--description", "Paying", "--json")
    assert saved["attributes"]["rules"] == json.loads(PRO)
    assert ask("segment", "list", "--json") == [saved]
    assert "Pro" in ask("segment", "list")
    assert ask("segment", "show", saved["id"], "--json") == saved | {"stats": stats}
    assert "1 in all" in ask("segment", "show", saved["id"])
    ask("segment", "delete", saved["id"])
    assert ask("segment", "list") == ""
    ask("segment", "show", saved["id"], exit_code=1)


def test_a_match_is_shown_rule_by_rule(ask, type_, client, stored):
    rules = json.dumps({"any": [json.loads(PRO), {"not": {"tag": "vip"}}]})
    id_ = ask("segment", "create", "Pro", rules, "--json")["id"]
    assert ask("segment", "match", id_, "bob@example.com").splitlines() == [
        "yes  any",
        '  no   {"field":"plan","is":"pro"}, met "\\u001b[31mfree"',
        "  yes  not",
        '    no   {"tag":"vip"}, met []',
    ]
    assert ask("segment", "match", id_, "ann@example.com", "--json")["data"]["matches"] is True
    assert ask("segment", "match", id_, "nobody@example.com", "--json") == {"data": None}
    refused = type_("segment", "match", id_, "nobody@example.com", "--site", client.site.uuid)
    assert "Subscriber not found: check the address" in str(refused.exception)


def test_an_error_in_rules_is_shown_with_its_path(ask):
    told = ask("segment", "preview", '{"all": [{"tag": []}]}', exit_code=1)
    assert "segment.rules.all[0].tag: Give" in told
    told = ask("segment", "create", "s", '{"tags": "x"}', exit_code=1)
    assert "segment.rules: `tags` is not known here. Give an object" in told
    assert "Did you mean `tag`?" in told
    assert "`unknown`" not in told
    assert "segment.name: Give" in ask("segment", "create", " ", PRO, exit_code=1)
    assert "not a JSON object" in ask("segment", "preview", "{tag: vip}", exit_code=2)


def test_a_report_is_saved_drawn_and_deleted(ask, stored):
    kind = "Reporting::Reports::VisitorsByFieldReport"
    saved = ask("report", "create", "Plans", kind, "--set", "field=plan", "--set", "limit=5", "--json")
    assert saved["attributes"]["settings"] == {"field": "plan", "limit": 5}
    answer = ask("report", "show", saved["id"], "--json")
    assert [point["y"] for point in answer["data"]["points"]] == [1, 1]
    drawn = ask("report", "show", saved["id"])
    assert "Plans\nPeople\n" in drawn
    assert "pro" in drawn
    assert "█" in drawn
    assert "\x1b" not in drawn
    assert "Plans" in ask("report", "list")
    assert ask("report", "list", "--json")[-1] == saved
    ask("report", "delete", saved["id"])
    ask("report", "show", saved["id"], exit_code=1)
    assert "report.settings.field" in ask("report", "create", "Plans", kind, exit_code=1)


def test_the_first_reports_are_drawn(ask, stored):
    for row in ask("report", "list", "--json"):
        assert row["attributes"]["name"] in ask("report", "show", row["id"])


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
    assert list(draw({"points": []})) == ["No data yet."]


def test_a_site_has_a_time_zone(run):
    uuid = run("site", "create", "News", "--time-zone", "Europe/Berlin", "--json")["site_uuid"]
    assert sites.get_by_uuid(uuid).time_zone == "Europe/Berlin"
    run("site", "time-zone", uuid, "Asia/Kathmandu")
    assert run("site", "list", "--json")[0]["time_zone"] == "Asia/Kathmandu"
    for wrong in ("Berlin", "../../etc/passwd", ""):
        run("site", "time-zone", uuid, wrong, exit_code=1)
    assert sites.get_by_uuid(uuid).time_zone == "Asia/Kathmandu"


def test_with_json_an_error_is_printed_as_the_api_answers_it(ask):
    assert json.loads(ask("segment", "show", "9", "--json", exit_code=1).splitlines()[0]) == {
        "error": "Segment not found: `audience segment list` lists the segments of the site.",
        "code": "segment_not_found",
    }
    refused = json.loads(ask("segment", "preview", '{"all": 1}', "--json", exit_code=1).splitlines()[0])
    assert (refused["code"], [each["code"] for each in refused["errors"]]) == (
        "validation_failed",
        ["wrong_type"],
    )
