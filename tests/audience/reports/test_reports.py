"""Reports: their numbers agree with one another, and settings for once stay for once."""

import datetime as dt
import json

import pytest

from audience import clock
from audience.access import sites
from audience.errors import Refused
from audience.reports import reports
from audience.reports.report_types import TYPES
from tests.client import open_client

DAY = 86_400_000
NOON = int(dt.datetime(2026, 3, 29, 12, tzinfo=dt.UTC).timestamp() * 1000)  # the clocks of Europe change


@pytest.fixture
def client(app, monkeypatch):
    """Five people, one a day; the last but one has left."""
    api = open_client(app.test_client())
    for number in range(5):
        monkeypatch.setattr(clock, "now_ms", lambda at=NOON - (4 - number) * DAY: at)
        api.create(f"p{number}@example.com")
    api.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "p3@example.com"}})
    return api


def run(site, kind, **settings):
    item = {"name": kind, "report_type": f"Reporting::Reports::{kind}Report", "settings": settings}
    report = reports.create(site, item)
    return reports.run(site, str(report.id)).data


def numbers(site, kind, **settings):
    return [point["y"] for point in run(site, kind, **settings)["points"]]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Pacific/Kiritimati", "America/St_Johns"])
@pytest.mark.parametrize("unit", ["day", "week", "month"])
def test_totals_and_growth_agree_in_every_unit_and_zone(client, zone, unit):
    sites.set_time_zone(client.site, zone)
    site = sites.get_by_uuid(client.site.uuid)
    period = {"from": "2026-03-20", "to": "2026-04-02", "unit": unit}
    new = numbers(site, "NewVisitors", **period)
    lost = numbers(site, "Unsubscribes", **period)
    assert (sum(new), sum(lost)) == (5, 1)
    assert numbers(site, "NetGrowth", **period) == [a - b for a, b in zip(new, lost, strict=True)]
    assert numbers(site, "TotalVisitors", **period) == [sum(new[: at + 1]) for at in range(len(new))]


def test_a_total_begins_with_those_from_before_the_period(client):
    assert numbers(client.site, "TotalVisitors", **{"from": "2026-03-28", "to": "2026-03-29"}) == [4, 5]
    assert run(client.site, "VisitorCount") == {"value": 5}
    assert run(client.site, "VisitorCount", **{"from": "2026-03-28", "to": "2026-03-29"}) == {"value": 2}


def test_settings_for_once_are_not_kept(client):
    item = {"name": "New", "report_type": "Reporting::Reports::NewVisitorsReport", "settings": {"days": 2}}
    report = reports.create(client.site, item)
    id_ = str(report.id)
    assert len(reports.run(client.site, id_, {"days": 5}).data["points"]) == 5
    assert len(reports.run(client.site, id_).data["points"]) == 2
    assert json.loads(reports.get(client.site, id_).settings) == {"days": 2}


def test_every_fault_of_a_report_is_told_at_once(client):
    item = {"name": "x", "report_type": "Reporting::Reports::ImportsReport"}
    with pytest.raises(Refused) as refused:
        reports.create(client.site, item | {"chart_style": "count", "segment_id": "1"})
    assert [error.field for error in refused.value.errors] == ["report.chart_style", "report.segment_id"]


@pytest.mark.parametrize("name", TYPES)
def test_the_default_style_of_a_type_is_one_of_its_own(client, name):
    settings = {"field": "plan"} if "field" in TYPES[name].needs else {}
    report = reports.create(client.site, {"name": "x", "report_type": name, "settings": settings})
    for style in TYPES[name].chart_styles:
        changed = {"name": "x", "report_type": name, "settings": settings, "chart_style": style}
        assert reports.replace(client.site, str(report.id), changed).chart_style == style
    result = reports.run(client.site, str(report.id))
    assert set(result.data) == ({"value"} if result.chart_style == "count" else {"points"})
