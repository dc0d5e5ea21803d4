"""What the lists show, and choosing a site, a key and a subscriber by name."""

import json

import pytest
from werkzeug.test import EnvironBuilder, run_wsgi_app

from audience import clock
from audience.access import keys, sites
from audience.access.keys import USE_MS
from audience.http.admission import Admission
from storage import database
from tests.client import ApiClient, basic
from tests.jobs import run_bulk_actions


@pytest.fixture
def filled(client):
    client.create("ann@example.com", first_name="Ann", tags="vip", fields={"plan": "pro"})
    client.create("bob@example.com", tags="news")
    client.post("/batch/events", {"events": [{"email": "ann@example.com", "type": "seen"}]})
    client.post("/batch/subscribers", {"subscribers": [{"email": "cy@example.com"}, {"email": "no address"}]})
    return client


@pytest.mark.parametrize(("words", "shown"), [
    (("tag", "list"), "vip"),
    (("field", "list"), "plan"),
    (("event", "list"), "ann@example.com  seen"),
    (("imports", "list"), "1 refused"),
    (("subscriber", "list"), "ann@example.com"),
    (("subscriber", "find", "ann@example.com"), "Ann"),
])  # fmt: skip
def test_a_list_shows_lines_or_json(run, filled, words, shown):
    assert shown in run(*words)
    assert run(*words, "--json")


def test_a_list_of_events_or_tags_is_of_one_site(run, filled, other_client):
    other_client.create("zed@example.com", tags="theirs")
    other_client.post("/batch/events", {"events": [{"email": "zed@example.com", "type": "left"}]})
    [event] = run("event", "list", "--site", filled.site.uuid, "--json")
    assert (event["type"], event["email"], event["details"]) == ("seen", "ann@example.com", {})
    names = [tag["name"] for tag in run("tag", "list", "--site", filled.site.uuid, "--json")]
    assert names == ["news", "vip"]


def test_subscribers_are_listed_by_tag_and_by_segment(run, filled):
    run("segment", "create", "Pro users", '{"field": "plan", "is": "pro"}')
    emails = [
        [each["attributes"]["email"] for each in run("subscriber", "list", *words, "--json")]
        for words in (("--tag", "news"), ("--segment", "Pro users"), ("--segment", "1"), ("--limit", "1"))
    ]
    assert emails[:3] == [["bob@example.com"], ["ann@example.com"], ["ann@example.com"]]
    assert len(emails[3]) == 1


def test_an_unknown_segment_is_explained_in_the_words_of_the_command_line(type_, client):
    message = str(type_("subscriber", "list", "--segment", "none").exception)
    assert message.startswith("Segment not found: `audience segment list` lists")


def test_tags_are_given_and_taken(run, filled):
    assert run("subscriber", "tag", "bob@example.com", "vip", "gold", "--json")["tags"] == [
        "news",
        "vip",
        "gold",
    ]
    assert run("subscriber", "tag", "bob@example.com", "vip", "--remove") == "Tags: news, gold.\n"


def test_unsubscribing_says_what_was_done_in_part(run, type_, filled):
    assert run("subscriber", "unsubscribe", "bob@example.com", "--json") == {"unsubscribed": 1, "unknown": 0}
    partly = type_("subscriber", "unsubscribe", "ann@example.com", "nobody@example.com")
    assert (partly.exit_code, partly.stdout) == (3, "Unsubscribed 1.\n")
    assert filled.counts()[2] == 2
    assert "Subscriber not found" in str(type_("subscriber", "unsubscribe", "nobody@example.com").exception)
    assert filled.counts() == (3, 1, 2)


@pytest.mark.parametrize("words", [("find",), ("show",), ("tag",)])
def test_a_subscriber_that_does_not_exist_is_not_made(type_, client, words):
    more = ("vip",) if words == ("tag",) else ()
    result = type_("subscriber", *words, "nobody@example.com", *more)
    assert result.exit_code == 1
    assert client.counts()[0] == 0


def test_the_only_site_needs_no_name_and_one_of_several_does(run, type_, client):
    assert run("report", "list")
    other = sites.create("Other")
    assert "There are several sites: choose one with --site and its name or" in str(
        type_("tag", "list").exception
    )
    assert run("tag", "list", "--site", "Other", "--json") == []
    assert run("site", "lists", "Other", "--json")["allow"] == []
    sites.create("Other")
    assert "Several sites have this name" in str(type_("tag", "list", "--site", "Other").exception)
    assert run("tag", "list", "--site", other.uuid, "--json") == []
    assert "Site not found" in str(type_("tag", "list", "--site", "Nothing").exception)


def test_a_site_is_renamed(run, client):
    run("site", "rename", client.site.uuid, "Weekly")
    assert [site["name"] for site in run("site", "list", "--json")] == ["Weekly"]


def test_a_key_has_a_name_that_its_successor_keeps(run, client):
    made = run("key", "create", "--name", "Shop", "--scope", "read", "--json")
    next_ = run("key", "rotate", made["publishable_key"], "--json")
    run("key", "rename", next_["publishable_key"], "Till")
    listed = {key["publishable_key"]: key for key in run("key", "list", "--json")}
    assert listed[made["publishable_key"]]["name"] == "Shop"
    found = listed[next_["publishable_key"]]
    assert (found["name"], found["scope"], found["sites"]) == ("Till", "read", [client.site.name])
    assert "Till of" in run("key", "list")


def test_the_last_use_of_a_key_is_kept_every_five_minutes(run, client, monkeypatch):
    def last_use():
        [key] = [row for row in keys.list_all() if row.publishable_key == client.key.publishable_key]
        return key.last_used_at

    start, uptime = clock.now_ms(), clock.uptime_ms()
    assert last_use() is None
    seen = []
    for minutes in (1, 3, 7):
        monkeypatch.setattr(clock, "now_ms", lambda at=start + minutes * 60_000: at)
        monkeypatch.setattr(clock, "uptime_ms", lambda at=uptime + minutes * 60_000: at)
        with client.get("/stats/site") as answer:
            assert answer.status_code == 200
        seen.append((last_use() - start) // 60_000)
    assert seen == [1, 1, 7]
    assert USE_MS == 5 * 60_000
    assert "last used 20" in run("key", "list")
    run("key", "create", "--name", "Shop")
    assert "Shop of Example, created" in (listed := run("key", "list"))
    assert ", never used" in listed


def test_a_request_whose_body_was_admitted_first_is_a_use_of_the_key(app, client):
    key = basic(client.key.publishable_key, client.key.secret_key)
    builder = EnvironBuilder(
        "/api/v1/fetch/tags", method="POST", json={"tag": {"name": "vip"}}, headers=[("Authorization", key)]
    )
    environ = builder.get_environ()
    Admission(app)(environ)
    _, status, _ = run_wsgi_app(app, environ, buffered=True)
    assert status == "201 CREATED"
    assert keys.list_all()[0].last_used_at is not None


def test_a_wrong_secret_is_no_use_of_the_key(client):
    wrong = keys.NewKey(client.key.publishable_key, "sk_wrong", "full")
    with ApiClient(client.http, client.site, wrong).get("/stats/site") as answer:
        assert answer.status_code == 401
    assert keys.list_all()[0].last_used_at is None


def test_settings_are_shown_with_their_origin_and_secrets_are_not(run, monkeypatch, tmp_path):
    (tmp_path / "config.toml").write_text('port = 8001\nabusix_key = "not-for-the-screen"\n')
    monkeypatch.setenv("AUDIENCE_INSTANCE", str(tmp_path))
    monkeypatch.setenv("AUDIENCE_WORKERS", "2")
    rows = {row["name"]: (row["value"], row["from"]) for row in run("config", "--json")}
    assert rows["port"] == (8001, str(tmp_path / "config.toml"))
    assert rows["workers"] == (2, "environment variable AUDIENCE_WORKERS")
    assert rows["host"] == ("127.0.0.1", "default")
    assert rows["abusix_key"][0] == "(set, hidden)"
    assert rows["spamhaus_dqs_key"][0] == ""
    assert "not-for-the-screen" not in run("config") + json.dumps(rows)


def test_imports_are_listed_with_file_counts_and_whether_they_are_taken_back(run, client, tmp_path):
    file = tmp_path / "peo\udcffple.csv"
    file.write_text("email,plan\nann@example.com,pro\nbob@example.com,free\n")
    run("import", file)
    file.write_text("email,plan,unsubscribed\nann@example.com,free,yes\nbob@example.com,pro,no\n")
    run("import", file, "--consent-column", "unsubscribed", "--unsubscribed", "yes", "--subscribed", "no")
    run("imports", "undo", "1")
    newest, oldest = run("imports", "list").splitlines()
    assert "  2 rows: 0 created, 2 updated, 0 unchanged, 0 refused, 0 suppressed; 1 unsubscribed  " in newest
    assert newest.endswith("peo?ple.csv")
    assert oldest.endswith("peo?ple.csv, undone")
    client.post("/batch/subscribers", {"subscribers": [{"email": "cy@example.com"}]})
    rows = run("imports", "list", "--json")
    assert [(row["file"], row["undo"]) for row in rows] == [
        (None, None), ("peo?ple.csv", None), ("peo?ple.csv", "finished"),
    ]  # fmt: skip
    assert (rows[1]["updated"], rows[1]["unsubscribed"]) == (2, 1)


def test_the_counts_of_an_import_add_up_to_the_rows_of_its_file(run, client, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("email\nann@example.com\nno address\nbob@example.com\nnone\n")
    run("import", file, "--allow-refused")
    counts = "2 created, 0 updated, 0 unchanged, 2 refused, 0 suppressed; 0 unsubscribed"
    assert f"finished   4 rows: {counts}  people.csv\n" in run("imports", "list")
    with database.write():
        database.execute("UPDATE imports SET status = 'running', applied = 1, created = 1", ())
    assert "running    3 of 4 rows: 1 created, 0 updated" in run("imports", "list")


def test_a_field_is_added(run, type_, filled):
    assert run("field", "add", "home town") == "The site has the field home_town.\n"
    assert [row["key"] for row in run("field", "list", "--json")] == ["home_town", "plan"]
    assert run("field", "add", "plan", "--json")["attributes"]["key"] == "plan"
    assert "key: Give another key" in type_("field", "add", "first_name").output


def test_a_field_is_deleted(run, type_, filled, tmp_path):
    said = run("field", "delete", "plan")
    assert said == "The field plan is deleted when a job has removed its values.\n"
    run_bulk_actions(tmp_path)
    assert run("field", "list", "--json") == []
    message = str(type_("field", "delete", "plan").exception)
    assert message == "Field not found: `audience field list` lists the fields of the site."
