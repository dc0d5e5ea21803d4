"""Segments: made, changed, copied, deleted, exported, and counted while one builds."""

import html
import json
import re

import pytest

from audience import clock, jobs
from audience.access import audit_log
from audience.changes.changes import change_from_item
from audience.clock import DAY_MS
from audience.reports import reports
from audience.segments import counts as segment_counts
from audience.segments import segments
from audience.subscribers import field_values, subscribers
from storage import database
from tests.console.browser import signed_in
from tests.jobs import count_segments, run_due

VIPS = '{"tag": "vip"}'


@pytest.fixture(autouse=True)
def people(site):
    items = [
        {"email": f"{name}@a.example", "tags": ["vip"] * (name != "cy"), "fields": {"plan": plan}}
        for name, plan in (("ann", "pro"), ("bob", "free"), ("cy", "pro"))
    ]
    with database.write():
        changes = [change_from_item(item) for item in items]
        subscribers.write(site.id, changes, subscribers.accept_now(site.id))


@pytest.fixture
def root(site):
    return f"/sites/{site.uuid}/segments"


def newest(site):
    entry = audit_log.page(site)[0]
    return entry.actor, entry.act, entry.subject


def test_a_segment_is_made(site, manager, root):
    assert manager.get(f"{root}/new").status_code == 200
    sent = manager.post(f"{root}/new", name=" Vips ", description="who pays", rules=VIPS)
    [segment] = segments.list_all(site)
    assert sent.headers["Location"] == f"/console{root}/{segment.id}"
    assert (segment.name, segment.description, json.loads(segment.rules)) == (
        "Vips", "who pays", {"tag": "vip"},
    )  # fmt: skip
    assert newest(site) == ("meg@example.com", "segment made", "Vips")


def test_beside_the_newest_stands_which_of_several_conditions_holds(site, manager, root):
    either = {"any": [{"tag": "vip"}, {"field": "plan", "is": "pro"}, {"event": "$open"}]}
    rules = {"all": [{"status": "subscribed"}, either, {"not": {"any": [{"tag": "press"}]}}]}
    made = segments.create(site, {"name": "Either", "rules": rules})
    shown = manager.get(f"{root}/{made.id}").text
    table = shown.partition("Newest ten")[2].partition("</table>")[0]
    assert re.findall(r'<td class="s m br"><bdi>([^<]+)</bdi>', table) == [
        "plan is pro", "tag is vip", "tag is vip, plan is pro",
    ]  # fmt: skip
    assert "Because" in shown


def test_without_a_choice_of_conditions_the_newest_have_their_day(site, manager, root):
    made = segments.create(site, {"name": "Vips", "rules": {"tag": "vip"}})
    assert "Because" not in manager.get(f"{root}/{made.id}").text


def test_a_segment_is_changed(site, manager, root):
    made = segments.create(site, {"name": "Vips", "rules": {"tag": "vip"}})
    form = manager.get(f"{root}/{made.id}/edit").text
    assert "&#34;tag&#34;: &#34;vip&#34;" in form
    manager.post(f"{root}/{made.id}/edit", name="Not vips", rules='{"tag": {"is_not": "vip"}}')
    assert segments.get(site, str(made.id)).name == "Not vips"
    assert newest(site)[1] == "segment changed"


def test_a_copy_begins_with_the_rule_and_another_name(site, manager, root):
    made = segments.create(site, {"name": "Vips", "rules": {"tag": "vip"}})
    form = manager.get(f"{root}/new?from={made.id}").text
    assert 'value="Vips, copy"' in form
    assert "&#34;vip&#34;" in form
    assert manager.get(f"{root}/new?from=77").status_code == 404


def test_the_filters_of_the_list_become_a_rule(site, manager, root):
    shown = manager.get(f"/sites/{site.uuid}/subscribers?tag=vip&created_at=30").text
    [link] = re.findall(r'href="/console([^"]+)">Save as a segment', shown)
    form = manager.get(link.replace("&amp;", "&")).text
    rules = json.loads(html.unescape(re.findall(r"<textarea[^>]*>([^<]*)", form)[0]))
    assert rules == {"all": [{"tag": "vip"}, {"created_at": {"within_days": 30}}]}


def test_without_script_a_rule_is_tried_before_it_is_saved(site, manager, root):
    tried = manager.post(f"{root}/new", name="Pros", rules='{"field": "plan", "is": "pro"}', **{"try": "1"})
    assert tried.status_code == 200
    assert re.search(r'class="big">2<', tried.text)
    assert 'value="Pros"' in tried.text
    assert segments.list_all(site) == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": "x", "rules": "{tag}"}, "not a JSON object"),
        ({"name": "x", "rules": "[" * 9000}, "not a JSON object"),
        ({"name": "x", "rules": "[]"}, "Send an object."),
        ({"name": " ", "rules": VIPS}, "name"),
        ({"name": "x", "rules": '{"any": [{"tag": "vip"}, {"colour": "red"}]}'}, "segment.rules.any[1]"),
        ({}, "not a JSON object"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays(site, manager, root, fields, message):
    made = segments.create(site, {"name": "Vips", "rules": {"tag": "vip"}})
    for path in (f"{root}/new", f"{root}/{made.id}/edit"):
        refused = manager.post(path, **fields)
        assert (refused.status_code, message in refused.text) == (422, True)
        assert "Cancel" in refused.text
    assert segments.list_all(site) == [made]


def test_a_segment_that_reports_use_names_them_and_stays(site, manager, root):
    made = segments.create(site, {"name": "Vips", "rules": {"tag": "vip"}})
    item = {"name": "Vips by day", "report_type": "Reporting::Reports::VisitorCountReport"}
    report = reports.create(site, item | {"segment_id": str(made.id)})
    shown = manager.get(f"{root}/{made.id}").text
    assert shown.count("Vips by day") == 2
    assert f"{root}/{made.id}/delete" not in shown
    refused = manager.post(f"{root}/{made.id}/delete")
    assert (refused.status_code, segments.IN_USE in refused.text) == (422, True)
    reports.delete(site, str(report.id))
    count_segments()
    assert manager.post(f"{root}/{made.id}/delete").status_code == 303
    assert segments.list_all(site) == []
    assert segment_counts.by_segment(site) == {}
    assert newest(site)[1:] == ("segment deleted", "Vips")


def test_a_segment_is_exported_and_the_audit_log_says_so(site, manager, root):
    made = segments.create(site, {"name": "Vips", "rules": {"tag": "vip"}})
    sent = manager.post(f"{root}/{made.id}/export")
    assert sent.headers["Content-Disposition"] == f'attachment; filename="segment-{made.id}.csv"'
    assert sorted(re.findall(r"\w+@a\.example", sent.text)) == ["ann@a.example", "bob@a.example"]
    entry = audit_log.page(site)[0]
    assert (entry.act, entry.subject, entry.subjects) == ("segment exported", "Vips", 2)


def test_while_one_builds_the_rule_is_counted_and_each_condition_alone(manager, root):
    pro = {"field": "plan", "is": "pro"}
    rules = json.dumps({"all": [json.loads(VIPS), pro]})
    said = manager.post(f"{root}/preview", rules=rules, conditions=json.dumps([pro, json.loads(VIPS)])).json
    assert said["counts"] == [2, 2]
    people = said["people"].replace("<wbr>", "")
    assert "ann@a.example" in people
    assert "bob@a.example" not in people
    assert said["words"] == "Subscribers who carry the tag vip and whose plan is pro."


WRONG = [
    "", "{", "null", '{"tag": []}', '{"all": [{"status": "gone"}]}', f'{{"field": "plan", "gt": {2**63}}}',
    '{"field": "plan", "is": "\\ud800"}', '{"field": "plan", "lt": 1e999}', '{"not":' * 900 + "1" + "}" * 900,
]  # fmt: skip


@pytest.mark.parametrize("rules", WRONG)
def test_while_one_builds_what_is_wrong_is_said(manager, root, rules):
    refused = manager.post(f"{root}/preview", rules=rules)
    assert (refused.status_code, bool(refused.json["problem"])) == (422, True)
    alone = manager.post(f"{root}/preview", rules=VIPS, conditions=f"[{rules or 0}]")
    assert (alone.status_code, bool(alone.json["problem"])) == (422, True)
    assert manager.post(f"{root}/new", name="Wrong", rules=rules).status_code == 422


@pytest.mark.parametrize(
    "rules", ['{"all": null, "tag": "vip"}', '{"field": " plan", "in": ["pro", "free"]}']
)
def test_while_one_builds_a_rule_means_what_it_will_when_it_is_saved(site, manager, root, rules):
    said = manager.post(f"{root}/preview", rules=rules, conditions=f"[{rules}]").json
    assert manager.post(f"{root}/new", name="Some", rules=rules).status_code == 303
    [saved] = segments.list_all(site)
    assert said["counts"] == [segments.counts(site, str(saved.id)).users] != [0]


def test_the_builder_offers_what_the_site_has(manager, root):
    form = manager.get(f"{root}/new").text
    for offered in ("vip", "plan", "within_days", "a.example"):
        assert f"&#34;{offered}&#34;" in form.replace("\\u0026#34;", "&#34;")
    assert manager.get(f"{root}/values?field=plan").json == ["free", "pro"]
    assert manager.get(f"{root}/values?field=nothing").json == []


def test_whoever_only_looks_gets_no_forms(app, site, root):
    made = segments.create(site, {"name": "Vips", "rules": {"tag": "vip"}})
    support = signed_in(app, "sue@example.com", {site: "support"})
    assert "<form" not in support.get(f"{root}/{made.id}").text.partition("<main")[2]
    for path in (
        f"{root}/new",
        f"{root}/{made.id}/edit",
        f"{root}/{made.id}/delete",
        f"{root}/{made.id}/export",
    ):
        assert support.post(path, name="x", rules=VIPS).status_code == 404
    assert segments.list_all(site) == [made]


def test_each_segment_is_counted_once_a_day_and_for_400_days(app, site, root, later):
    made = segments.create(site, {"name": "Vips", "rules": {"tag": "vip"}})
    count_segments()
    with database.write():
        left = change_from_item({"email": "dee@a.example", "tags": ["vip"]})
        subscribers.write(site.id, [left], subscribers.accept_now(site.id))
    count_segments()
    assert segment_counts.by_segment(site) == {made.id: [2]}
    later(DAY_MS)
    count_segments()
    assert segment_counts.by_segment(site) == {made.id: [2, 3]}
    viewer = signed_in(app, "vic@example.com", {site: "viewer"})
    assert "<svg" in viewer.get(root).text.partition("<tbody>")[2]
    later(segment_counts.KEPT_DAYS * DAY_MS)
    count_segments()
    assert segment_counts.by_segment(site, 1_000) == {made.id: [3, 3]}


def test_a_segment_that_cannot_be_counted_keeps_no_other_from_it(site, other_site, later, monkeypatch):
    made = [
        segments.create(each, {"name": "Vips", "rules": {"tag": "vip"}}) for each in (site, site, other_site)
    ]
    real = segments.members
    broken = [str(made[0].id)]

    def members(site_id, segment_id):
        return real(site_id, segment_id) if segment_id not in broken else 1 / 0

    monkeypatch.setattr(segments, "members", members)
    for _ in range(2):  # after a failure, a site's next turn is the next time that a worker looks
        count_segments()
    counted = [segment_counts.by_segment(each) for each in (site, other_site)]
    assert [counts.keys() for counts in counted] == [{made[1].id}, {made[2].id}]
    [trouble] = jobs.list_failed()
    assert (trouble.kind, trouble.subject, trouble.attempts) == ("segment", made[0].id, 1)
    assert trouble.reason.startswith("ZeroDivisionError at ")
    broken.clear()
    later(5_000)
    count_segments()
    assert segment_counts.by_segment(site).keys() == {made[0].id, made[1].id}
    assert jobs.list_failed() == []


def test_a_segment_is_counted_some_minutes_after_midnight(site, later):
    later(DAY_MS - clock.now_ms() % DAY_MS - 60_000)  # a minute before
    run_due(field_values.KIND)
    segments.create(site, {"name": "Vips", "rules": {"tag": "vip"}})
    count_segments()
    later(60_000)
    assert jobs.due_sites() == []
    later(600_000)
    assert jobs.due_sites() == [site.id]
    count_segments()
    later(DAY_MS - 600_000)
    assert jobs.due_sites() == []
    later(600_000)
    assert jobs.due_sites() == [site.id]
