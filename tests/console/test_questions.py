"""The answers by hand, imports, segments and reports as their pages show them."""

import html
import re

import pytest

from audience.config import Settings
from audience.console import charts, rule_words
from audience.imports import imports
from audience.reports import reports
from audience.segments import segments
from audience.subscribers import subscribers
from tests.answers.dns_servers import FakeServer
from tests.api.dns_records import RECORDS, answer
from tests.console.screens import RULES, fill
from tests.rows import each_row


@pytest.fixture(scope="module")
def dns():
    with FakeServer(lambda query: answer(query, RECORDS)) as server:
        yield server


@pytest.fixture
def settings(tmp_path, database_url, geo_table, dns):
    (tmp_path / geo_table.name).hardlink_to(geo_table)
    return Settings(
        instance=tmp_path,
        database_url=database_url,
        dns_servers=(dns.address,),
        dns_timeout=10.0,
        tier1_countries=("us",),
    )


@pytest.mark.parametrize(
    ("kind", "form", "said"),
    [
        ("address", {"email": "ann@gmial.com"}, ["typo", "Did they mean", "Strict rules"]),
        ("address", {"email": "nonsense"}, ["Not valid", "syntax"]),
        ("address", {"email": "ann@mx.mailinator.com"}, ["disposable", "Found: <b><bdi>mailinator.com"]),
        ("text", {"content": "What a sh1t day"}, ["Not safe to publish", "profanity", "Found: <b><bdi>shit"]),
        ("text", {"content": "Well, I know where you live."}, ["threat", "<bdi>i know where you live"]),
        ("address", {"email": " "}, ["Fill this in"]),
        ("blacklist", {"ip": "1.1.1.1"}, ["not configured", "retired", "does not apply"]),
        ("blacklist", {"ip": "1.2.3"}, ["aria-invalid"]),
        (
            "text",
            {"content": "<script>alert(1)</script>Hello"},
            ["script_tag", "Not safe to publish", "Hello"],
        ),
        ("name", {"name": "Mary"}, ["Female", "Confidence 1.00, by the US census of 1990"]),
        ("name", {"name": "Chaminda"}, ["Male", "Confidence 0.93, by names of the world"]),
        ("name", {"name": "Xqzt"}, ["Unknown"]),
        ("place", {"ip": "8.8.8.8"}, ["United States", "world.svg?v=", "#land", ">yes</span>"]),
        ("place", {"ip": "10.0.0.1"}, ["private or reserved"]),
        ("place", {"ip": "::1"}, ["Send an IPv4 address"]),
    ],
)
def test_an_answer_by_hand(owner, site, kind, form, said):
    response = owner.post(f"/sites/{site.uuid}/checks/{kind}", **form)
    assert response.status_code == 200
    for words in said:
        assert words in response.text
    assert "<script>alert" not in response.text


@pytest.mark.parametrize(
    ("kind", "field", "text", "said"),
    [
        ("address", "email", "a" * 20_001 + "@b.example", "a" * 20_001 + "@b.example"),
        ("text", "content", "a" * 20_000 + "<script>", "<code>too_long"),
        ("text", "content", "a" * 20_001, "a" * 20_001 + "</textarea>"),
        ("name", "name", "a" * 20_001, "a" * 20_001),
        ("place", "ip", "1" * 20_001, "Send an IPv4 address"),
    ],
)
def test_a_long_text_is_asked_about_whole(owner, site, kind, field, text, said):
    response = owner.post(f"/sites/{site.uuid}/checks/{kind}", **{field: text})
    assert (response.status_code, said in response.text, text in html.unescape(response.text)) == (
        200,
        True,
        True,
    )


def test_the_answers_about_a_subscriber_are_asked_from_the_page(owner, site):
    fill(site)
    ann = subscribers.find(site, "p1@a.example")
    assert ann is not None
    page = owner.get(f"/sites/{site.uuid}/subscribers/{ann.uuid}").text
    asked = re.findall(r'action="/console(\S+/checks/\w+)">(.*?)</form>', page)
    assert [path.rpartition("/")[2] for path, _ in asked] == ["address", "blacklist", "name"]
    for path, form in asked:
        fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
        response = owner.post(path, **{key: html.unescape(value) for key, value in fields.items()})
        assert (response.status_code, "Fill this in" in response.text) == (200, False)


def test_there_is_no_other_check(owner, site):
    assert owner.get(f"/sites/{site.uuid}/checks/other").status_code == 404
    assert owner.post(f"/sites/{site.uuid}/checks/nothing").status_code == 404


def test_the_parts_of_an_import_add_up(owner, site):
    fill(site)
    [import_] = imports.newest(site)
    page = owner.get(f"/sites/{site.uuid}/imports/{import_.id}").text
    assert "Of 2 rows, <b>0</b> added a subscriber, <b>1</b> changed one" in page
    assert "missing_email" in page
    assert 'aria-label="0 new, 1 changed, 0 unchanged, 1 refused"' in page


def test_a_rule_is_drawn_counted_and_said(owner, site):
    fill(site)
    [segment] = segments.list_all(site)
    page = owner.get(f"/sites/{site.uuid}/segments/{segment.id}").text
    assert 'class="grp all"' in page
    assert 'class="grp any"' in page
    assert 'class="grp not"' in page
    assert "None of these matches" in page
    assert rule_words.in_words(RULES) == (
        "Subscribers who are subscribed, and who carry the tag vip or who had the event $open at least 2 "
        "times or whose plan is pro or 3; but not those whose domain is b.example, nor those who had no "
        "event in the last 9 days."
    )


def test_a_report_is_drawn_over_another_period(owner, site):
    fill(site)
    report = next(each for each in reports.list_all(site) if "NewVisitors" in each.report_type)
    path = f"/sites/{site.uuid}/reports/{report.id}"
    page = owner.get(f"{path}?from=2026-09-01&to=2026-09-30&unit=week").text
    assert "31 Aug" in page
    assert 'href="?">As saved' in page
    assert "The saved period is shown." in owner.get(f"{path}?from=2026-09-30&to=2026-09-01").text
    assert "The saved period is shown." in owner.get(f"{path}?from=soon").text


@each_row("values", [[], [0], [5], [0, 0], [-3, 4], [1] * 91, [10**9, -(10**9)], [0.5, 2]])
def test_a_scale_has_round_ticks_and_holds_every_value(values):
    on = charts.scale(values, 100)
    assert 2 <= len(on.ticks) <= 8
    assert all(tick == int(tick) for tick in on.ticks)
    assert all(-1 <= on.y(value) <= 101 for value in values)


@each_row("count", [0, 1, 2, 6, 7, 8, 13, 30, 91, 731])
def test_labels_are_few_and_have_first_and_last(count):
    labels = [str(number) for number in range(count)]
    chosen = charts.spread_labels(labels)
    assert len(chosen) <= 7
    assert [label for _, label in chosen][:: max(count - 1, 1)][:1] == labels[:1]
    assert [label for _, label in chosen][-1:] == labels[-1:]


def test_parts_of_a_bar_fill_it_and_small_ones_are_seen():
    widths = charts.parts([10_000, 1, 0])
    assert widths[1][1] > 0
    assert widths[2][1] == 0
    assert sum(width for _, width in widths) <= 1000
