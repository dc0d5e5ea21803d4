"""Reports as a site saves, replaces and deletes them (docs/contract.md, Reports)."""

import pytest

from audience import clock
from tests import response_assertions
from tests.api.test_reports import NOW, draft, name, save


@pytest.fixture(autouse=True)
def today(monkeypatch):
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)


def test_a_report_is_saved_replaced_and_deleted(client):
    report = save(client, "NewVisitors", {"days": "7", "unit": "week", "other": 1})
    attributes = response_assertions.report(report)
    assert (attributes["chart_style"], attributes["segment_id"]) == ("column_chart", None)
    assert attributes["settings"] == {"days": 7, "unit": "week"}
    path = f"/fetch/reports/{report['id']}"
    assert response_assertions.answer(client.get(path))["data"] == report
    segment = client.post("/fetch/segments", {"segment": {"name": "All", "rules": {"all": []}}}).json["data"][
        "id"
    ]
    body = draft("TotalVisitors", chart_style="line_chart", segment_id=segment)
    replaced = response_assertions.answer(client.call("PUT", path, body))["data"]
    assert response_assertions.report(replaced) == attributes | {
        "name": "TotalVisitors", "report_type": name("TotalVisitors"), "chart_style": "line_chart",
        "segment_id": segment, "settings": {},
    }  # fmt: skip
    assert response_assertions.answer(client.get(path))["data"] == replaced
    assert response_assertions.answer(client.delete(path))["data"] == replaced
    response_assertions.error(client.get(path), 404)


@pytest.mark.parametrize("id_", ["0", "999", "x", "1.0", "9" * 30, "%20"])
def test_an_unknown_report_is_a_404_everywhere(client, id_):
    for response in (
        client.get(f"/fetch/reports/{id_}"),
        client.call("PUT", f"/fetch/reports/{id_}", draft("VisitorCount")),
        client.delete(f"/fetch/reports/{id_}"),
        client.get(f"/stats/reports/{id_}"),
        client.get("/stats/report", query={"report_id": id_}),
    ):
        response_assertions.error(response, 404)
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
def test_a_bad_report_is_refused(client, report, fields):
    before = client.get("/fetch/reports").json
    assert response_assertions.error_fields(client.post("/fetch/reports", {"report": report})) == fields
    assert client.get("/fetch/reports").json == before


def test_an_unknown_segment_is_a_404(client, other_client):
    theirs = other_client.post("/fetch/segments", {"segment": {"name": "All", "rules": {"all": []}}}).json[
        "data"
    ]["id"]
    for segment in (theirs, "x"):
        response = client.post("/fetch/reports", draft("VisitorCount", segment_id=segment))
        response_assertions.error(response, 404)
        assert response.json["error"].startswith("Segment not found")


def test_the_query_of_a_stats_request_needs_an_id(client):
    assert response_assertions.error_fields(client.get("/stats/report")) == ["report_id"]


def test_a_new_site_starts_with_working_reports(client, other_client):
    listed = response_assertions.answer(client.get("/fetch/reports"))["data"]
    assert [each["attributes"]["name"] for each in listed] == [
        "People", "New people", "Unsubscribes", "Net growth", "Total people", "People per tag",
        "People per e-mail domain", "Events", "Imports",
    ]  # fmt: skip
    for each in listed:
        attributes = response_assertions.report(each)
        answer = response_assertions.answer(client.get("/stats/report", query={"report_id": each["id"]}))
        response_assertions.report_data(answer)
        assert answer["report_name"] == attributes["name"]
        assert answer["chart_style"] == attributes["chart_style"]
        assert answer == response_assertions.answer(client.get(f"/stats/reports/{each['id']}"))
        response_assertions.error(other_client.get(f"/stats/reports/{each['id']}"), 404)
