"""`audience demo`: a site with fictional subscribers."""

import json
import re
from collections import Counter

import pytest

from audience import addresses, clock
from audience.access import keys, operators, sites
from audience.access.audit_log import COMMAND_LINE
from audience.changes import pages as change_log_pages
from audience.forms import forms
from audience.imports import file_imports, imports
from audience.looks import looks
from audience.operations import demo, demo_people
from audience.reports import reports
from audience.segments import counts as segment_counts
from audience.segments import segments
from audience.sign_ups import alarms, sign_ups
from audience.subscribers import stats
from storage import database
from tests.client import ApiClient

DAY, HOUR = 86_400_000, 3_600_000
RESERVED = re.compile(r"@([a-z]+\.)?(example\.(com|net|org)|[a-z]+\.example)$")  # RFC 2606


@pytest.fixture
def shown(type_):
    result = type_("demo", "--people", "1200", "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def owner(app, shown):
    key = keys.NewKey(shown["publishable_key"], shown["secret_key"], "full")
    return ApiClient(app.test_client(), sites.get_by_uuid(shown["site_uuid"]), key)


def test_administrators_own_it_and_its_segments_have_a_past(app, type_):
    operators.add("ann@example.com", True, {}, COMMAND_LINE)
    operators.add("bob@example.com", False, {}, COMMAND_LINE)
    result = type_("demo", "--people", "300", "--json")
    site = sites.get_by_uuid(json.loads(result.stdout)["site_uuid"])
    assert [roles for _, roles in operators.list_all()] == [{site.id: "owner"}, {}]
    history = segment_counts.by_segment(site)
    for segment in segments.list_all(site):
        counts = history[segment.id]
        assert len(counts) == 90
        assert counts[-1] == segments.count(site, json.loads(segment.rules))
        assert counts == sorted(counts)


def test_it_ends_with_a_link_to_its_site(app, type_):
    result = type_("demo", "--people", "300")
    [site] = sites.list_all()
    last = result.stdout.splitlines()[-1]
    assert last.split() == ["console_url", f"http://127.0.0.1:8000/console/sites/{site.uuid}"]


def all_subscribers(owner):
    subscribers, page = [], 1
    while rows := owner.post("/fetch/search", {"page": page}).json["data"]:
        subscribers += [each["attributes"] for each in rows]
        page += 1
    return subscribers


def test_the_site_has_the_requested_number_of_subscribers_and_correct_counts(owner, shown):
    assert list(shown) == [
        "base_url", "site_uuid", "publishable_key", "secret_key", "owners", "console_url"
    ]  # fmt: skip
    users, _, unsubscribers = owner.counts()
    assert users == 1200
    assert 30 < unsubscribers < 200
    assert stats.recount(owner.site) == stats.for_site(owner.site)


def test_its_subscribers_are_plausible_and_fictional(owner):
    subscribers = all_subscribers(owner)
    assert len({each["email"] for each in subscribers}) == 1200
    assert all(RESERVED.search(each["email"]) for each in subscribers)
    assert all(addresses.identity(each["email"]) == each["email"] for each in subscribers)
    assert {"plan", "city", "country", "source", "orders"} <= subscribers[0]["fields"].keys()
    assert len({each["fields"]["plan"] for each in subscribers}) == 4
    assert sum(bool(each["cached_tag_ids"]) for each in subscribers) > 600
    assert {tag["attributes"]["name"] for tag in owner.get("/fetch/tags").json["data"]} >= {
        "newsletter",
        "vip",
    }


def test_its_history_goes_back_two_years_and_is_in_order(owner):
    with database.session():
        rows = database.rows(
            "SELECT created_at, updated_at, last_event_at, unsubscribed_at FROM subscribers ORDER BY id"
        )
        events = database.rows(
            "SELECT e.occurred_at, s.created_at, s.last_event_at FROM events e "
            "JOIN subscribers s ON s.id = e.subscriber_id"
        )
    now = clock.now_ms()
    created = [row[0] for row in rows]
    assert created == sorted(created)
    assert 680 * DAY < now - created[0] <= 731 * DAY
    assert len({at // DAY for at in created}) > 400
    for row in rows:
        assert row[0] <= row[1] <= now
        assert all(at is None or row[0] <= at <= row[1] for at in row[2:])
    assert len(events) > 1200
    assert all(since <= at <= last for at, since, last in events)


def test_it_grows_faster_and_has_campaigns(owner):
    with database.session():
        created = [row[0] for row in database.rows("SELECT created_at FROM subscribers")]
    middle = clock.now_ms() - 365 * DAY
    assert sum(at > middle for at in created) > sum(at < middle for at in created)
    days = Counter(at // DAY for at in created)
    assert max(days.values()) > 4 * len(created) / 730


def test_it_has_imports_segments_and_reports_with_something_in_them(owner):
    imported = imports.newest(owner.site)
    assert [(each.status, each.refused) for each in imported] == [
        ("finished", 0),
        ("finished", 14),
        ("finished", 0),
    ]
    assert len(file_imports.refusals(owner.site, imported[1].id)) == 2
    names = {
        segment.name: segments.counts(owner.site, str(segment.id)).users
        for segment in segments.list_all(owner.site)
    }
    assert len(names) == 9
    assert all(names[name] for name in ("Paying", "Low Countries", "Readers of 90 days", "Silent for a year"))
    saved = {report.name: str(report.id) for report in reports.list_all(owner.site)}
    assert {"Plans", "Countries", "Why people unsubscribed"} <= saved.keys()
    assert {
        point["g"] for point in reports.run(owner.site, saved["Why people unsubscribed"]).data["points"]
    } == {
        "link",
        "api",
    }


def test_its_pages_have_a_name_and_a_colour(owner):
    look = looks.get(owner.site)
    assert (look.name, look.accent) == ("Coast and Atlas", "#1d4f80")


def test_its_form_is_open_with_sign_ups_in_every_state_of_which_none_is_sent(owner):
    [form] = forms.list_all(owner.site)
    assert (form.name, form.state) == ("Front page", "open")
    kept = sign_ups.list_page(owner.site, limit=10_000)
    states = {sign_up.status for sign_up in kept}
    assert states == {"waiting", "sent", "held", "failed", "confirmed", "declined"}
    assert all(RESERVED.search(sign_up.email) for sign_up in kept if sign_up.is_open)
    assert not any(sign_up.email for sign_up in kept if not sign_up.is_open)
    figures = sign_ups.figures_by_form(owner.site)[form.id]
    assert figures.now.asked > figures.now.sent > figures.now.confirmed > 0
    assert figures.before.asked > 0
    since = clock.now_ms() - 30 * DAY
    # Of whole hours, the first of which may have begun since the demo was made.
    numbers, later = (sign_ups.outcomes(owner.site, at) for at in (since - HOUR, since + HOUR))
    assert numbers["expired"] > 0
    agreed = sum(sign_ups.agreed(owner.site, form.id).values())
    assert 0 < later["confirmed"] <= agreed <= numbers["confirmed"]
    alarms.trickle(owner.site)
    with database.session():
        assert database.value("SELECT count(*) FROM jobs WHERE kind = 'confirmation'", (), 0) == 0
    assert not alarms.held_since(owner.site)


def test_what_an_import_changed_was_changed_on_its_day(owner):
    newest = imports.newest(owner.site)[0]
    with database.session():
        uuid = database.row(
            "SELECT s.uuid FROM subscribers AS s JOIN subscriber_tags AS t ON t.subscriber_id = s.id "
            "WHERE t.tag_id = (SELECT id FROM tags WHERE name = 'winter-walks') LIMIT 1"
        )[0]
    changed = change_log_pages.history(owner.site, uuid).changes
    days = {each.at // DAY for each in changed if each.source == ("import", str(newest.id))}
    assert days == {newest.created_at // DAY}


def test_it_is_the_same_every_time():
    now = clock.now_ms()
    first, second = (list(demo_people.generate(50, now)) for _ in range(2))
    assert first == second


def test_its_people_are_the_same_at_any_hour():
    midnight = clock.now_ms() // DAY * DAY
    early, late = (
        [(each.change.email, each.change.tags, each.change.fields) for each in demo_people.generate(200, at)]
        for at in (midnight + 1, midnight + DAY - 1)
    )
    assert early == late


def test_an_interrupted_demo_deletes_the_site(app, settings):
    def interrupt(step, done, total):
        if step == "Creating":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        demo.create(settings.instance, 1000, interrupt)
    assert sites.list_all() == []
