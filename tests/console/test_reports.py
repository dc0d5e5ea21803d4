"""Reports: made, drawn without saving, changed, deleted, exported."""

import json
from xml.etree import ElementTree as ET

import pytest

from audience.access import audit_log
from audience.changes.changes import change_from_item
from audience.console.report_forms import KINDS, full_name
from audience.reports import reports
from audience.reports.report_types import TYPES
from audience.segments import segments
from audience.subscribers import commands, subscribers
from storage import database
from tests.console.browser import signed_in
from tests.pages.visitor import text

AT = 1_790_000_000_000
DAYS = {"from": "2026-09-20", "to": "2026-09-23"}


@pytest.fixture(autouse=True)
def people(site):
    for report in reports.list_all(site):
        reports.delete(site, str(report.id))
    items = [
        {"email": f"{name}@a.example", "tags": [tag], "fields": {"plan": "pro"}, "created_at": AT}
        for name, tag in (("ann", "vip"), ("bob", "=1+1"))
    ]
    with database.write():
        changes = [change_from_item(item) for item in items]
        subscribers.write(site.id, changes, subscribers.accept_now(site.id))


@pytest.fixture
def root(site):
    return f"/sites/{site.uuid}/reports"


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_a_form_and_is_saved_shown_and_exported(site, manager, root, kind):
    form = manager.get(f"{root}/new?kind={kind}")
    assert (form.status_code, "Save" in form.text) == (200, True)
    fields = {"report_type": full_name(kind), "name": "Mine", "field": "plan", **DAYS}
    sent = manager.post(f"{root}/new", **fields)
    [report] = reports.list_all(site)
    assert sent.headers["Location"] == f"/console{root}/{report.id}"
    assert (report.name, report.report_type) == ("Mine", full_name(kind))
    assert json.loads(report.settings) == {"field": "plan", **DAYS}
    assert manager.get(f"{root}/{report.id}").status_code == 200
    table = manager.get(f"{root}/{report.id}/export.csv")
    assert table.headers["Content-Disposition"] == f'attachment; filename="report-{report.id}.csv"'
    assert len(table.text.splitlines()) >= 2 - (kind in ("Events", "Leaving"))  # there are none
    drawn = manager.get(f"{root}/{report.id}/export.svg")
    assert drawn.mimetype == "image/svg+xml"
    root_tag = ET.fromstring(drawn.data).tag  # noqa: S314 - our own
    assert root_tag == "{http://www.w3.org/2000/svg}svg"
    entry = audit_log.page(site)[0]
    assert (entry.actor, entry.act, entry.subject) == ("meg@example.com", "report saved", "Mine")


def test_why_they_left_is_by_reason_with_each_source(site, manager, root):
    for email, word in (("ann", ["unsubscribe"]), ("bob", ["unsubscribe", "subscribe"])):
        commands.run(site, [{"email": f"{email}@a.example", "command": name} for name in word])
    item = {"name": "Why", "report_type": "LeavingReport"}
    report = reports.create(site, item)
    page = text(manager.get(f"{root}/{report.id}"))
    assert "Reason Share Unsubscribes no reason given 2" in page
    assert "By source Reason by hand no reason given 2" in page


def test_all_kinds_are_offered(manager, root):
    page = manager.get(f"{root}/new").text
    assert {full_name(kind) for kind in KINDS} == TYPES.keys()
    assert all(f"?kind={kind}" in page for kind in KINDS)
    assert manager.get(f"{root}/new?kind=Weather").text == page


def test_a_report_is_drawn_without_being_saved(site, manager, root):
    fields = {"report_type": full_name("NewVisitors"), "unit": "week", "draw": "1", **DAYS}
    drawn = manager.post(f"{root}/new", name="Soon", **fields)
    assert (drawn.status_code, "As a table" in drawn.text, 'value="Soon"' in drawn.text) == (200, True, True)
    assert reports.list_all(site) == []


def test_a_report_is_changed_to_a_segment_and_deleted(site, manager, root):
    vips = segments.create(site, {"name": "Vips", "rules": {"tag": "vip"}})
    made = reports.create(site, {"name": "All", "report_type": full_name("VisitorCount")})
    path = f"{root}/{made.id}"
    assert 'value="All"' in manager.get(f"{path}/edit").text
    drawn = manager.post(f"{path}/edit", name="Vips", segment_id=str(vips.id), draw="1")
    assert 'class="figure">1<' in drawn.text
    assert reports.list_all(site) == [made]
    manager.post(f"{path}/edit", name="Vips", segment_id=str(vips.id))
    assert reports.get(site, str(made.id)).segment_id == vips.id
    assert audit_log.page(site)[0].act == "report changed"
    assert manager.post(f"{path}/delete").status_code == 303
    assert reports.list_all(site) == []
    assert audit_log.page(site)[0].act == "report deleted"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"report_type": full_name("NewVisitors")}, "name"),
        ({"report_type": full_name("VisitorsByField"), "name": "x"}, "Required for this report type."),
        ({"report_type": full_name("NewVisitors"), "name": "x", "days": "0"}, "whole number from 1 to 3660"),
        ({"report_type": full_name("NewVisitors"), "name": "x", "from": "soon"}, "Send a date from"),
        ({"report_type": full_name("NewVisitors"), "name": "x", "chart_style": "pie"}, "chart_style"),
        ({"report_type": full_name("Events"), "name": "x", "segment_id": "77"}, "Segment not found"),
        ({"report_type": "Weather", "name": "x"}, "The kinds"),
        ({}, "The kinds"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_saved(site, manager, root, fields, message):
    refused = manager.post(f"{root}/new", **fields)
    assert (refused.status_code in (404, 422), message in refused.text) == (True, True)
    assert reports.list_all(site) == []


def test_another_period_is_exported_as_it_is_shown(site, manager, root):
    made = reports.create(site, {"name": "New", "report_type": full_name("NewVisitors")})
    period = "from=2026-09-20&to=2026-09-23"
    shown = manager.get(f"{root}/{made.id}?{period}").text
    assert f"/export.csv?{period.replace('&', '&amp;')}" in shown
    table = manager.get(f"{root}/{made.id}/export.csv?{period}").text.split()
    assert table == ["from,New", "people", "2026-09-20,0", "2026-09-21,2", "2026-09-22,0", "2026-09-23,0"]


def test_no_cell_of_an_export_is_a_formula(site, manager, root):
    made = reports.create(site, {"name": "Tags", "report_type": full_name("VisitorsByTag")})
    assert "'=1+1,1" in manager.get(f"{root}/{made.id}/export.csv").text
    assert manager.get(f"{root}/{made.id}/export.pdf").status_code == 404


def test_whoever_only_looks_gets_no_forms(app, site, root):
    made = reports.create(site, {"name": "New", "report_type": full_name("NewVisitors")})
    support = signed_in(app, "sue@example.com", {site: "support"})
    assert 'method="post"' not in support.get(f"{root}/{made.id}").text.partition("<main")[2]
    for act in ("new", f"{made.id}/edit", f"{made.id}/delete"):
        assert support.post(f"{root}/{act}", name="x").status_code == 404
    assert support.get(f"{root}/{made.id}/export.csv").status_code == 404
    assert reports.list_all(site) == [made]
