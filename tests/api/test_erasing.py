"""DELETE /v1/fetch/subscribers: only a keyed hash of a subscriber remains."""

import json
import threading
from unittest.mock import Mock

import pytest

from audience import clock, jobs
from audience.access import site_keys
from audience.erasures import log as erasure_log
from audience.erasures import waiting_imports
from audience.imports import imports
from audience.operations import site_lane
from audience.privacy import pepper
from audience.sign_ups import confirming
from audience.subscribers import field_values, stats
from storage import database
from storage.errors import Unavailable
from storage.instance.erased_pages import MARKER, run
from storage.pace import Pace
from storage.subscribers import field_values as stored_values
from storage.subscribers import value_changes
from tests.client import open_client
from tests.jobs import run_due
from tests.sign_up_steps import ask, make_form, token

AGREED = {"consent": "subscribed"}

ADDRESS = "ann.canary@example.com"
OTHERS = 300


def erase(client, **query):
    response = client.delete("/fetch/subscribers", query=query)
    assert (response.status_code, response.json) == (200, {"data": None})


def traces(settings, *needles):
    """`(file name, needle)` of the instance's files that contain a needle."""
    return {
        (path.name, needle)
        for path in settings.instance.rglob("*")
        if path.is_file()
        for needle in needles
        if needle.encode() in path.read_bytes()
    }


def fill(client):
    """Creates a subscriber with tags, values and events, among others."""
    for number in range(OTHERS):
        client.create(f"subscriber{number}@example.com", tags="many", fields={"note": "x" * 100})
    subscriber = client.create(
        ADDRESS, first_name="Canaryfirst", tags="vip,many", fields={"note": "canarynote" * 900}
    )
    events = [{"email": ADDRESS, "type": "seen", "details": {"page": "canarypage" * n}} for n in range(99)]
    client.post("/batch/events", {"events": events})
    return subscriber


NEEDLES = (ADDRESS, "ann.canary", "Canaryfirst", "canarynote", "canarypage")


@pytest.mark.of_sqlite
def test_every_trace_of_sign_ups_is_erased(client, settings):
    """Of those that wait, and of the proof of one that was confirmed."""
    form = make_form(client.site)
    signs = {"first_name": "Canaryfirst", "fields": {"city": "canarynote" * 20}, "agent": "canaryagent" * 30}
    confirmed = ask(client.site, form, ADDRESS, **signs)
    ask(client.site, form, ADDRESS, **signs, is_held=True)
    confirming.confirm(token(client.site, confirmed), "click", 1, "192.0.2.0/24", "canaryproof" * 30)
    assert {needle for _, needle in traces(settings, "canaryagent", "canarynote")} == {
        "canaryagent",
        "canarynote",
    }
    erase(client, email=ADDRESS)
    assert traces(settings, *NEEDLES, "canaryagent", "canaryproof") == set()


@pytest.mark.of_sqlite
@pytest.mark.parametrize("named", ["email", "uuid", "spelled"])
def test_every_trace_is_erased(client, settings, named):
    subscriber = fill(client)
    client.create("Other." + ADDRESS)
    before = client.counts()
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": ADDRESS}})
    assert traces(settings, "Canaryfirst")
    query = {
        "email": {"email": ADDRESS},
        "uuid": {"uuid": subscriber["attributes"]["uuid"]},
        "spelled": {"email": " Ann.Canary@EXAMPLE.com "},
    }[named]
    client.delete("/fetch/subscribers", query={"email": "Other." + ADDRESS})
    erase(client, **query)
    assert traces(settings, *NEEDLES) == set()
    assert client.find(ADDRESS) is None
    users = before[0] - 2
    assert client.counts() == (users, users, 0)
    assert stats.for_site(client.site) == stats.recount(client.site)
    with database.session():
        assert database.rows("SELECT 1 FROM events WHERE subscriber_id = ?", (subscriber["id"],)) == []
        assert (
            database.rows("SELECT 1 FROM subscriber_tags WHERE subscriber_id = ?", (subscriber["id"],)) == []
        )


@pytest.mark.parametrize("is_merged", [False, True])
def test_no_row_beside_a_subscriber_outlives_them_whatever_was_replaced_before(client, is_merged):
    others = client.create("bob@example.com", fields={"plan": "Pro", "list": ["a"]}, tags="vip")
    for values in (
        {"plan": "Pro", "list": ["a", "B", 1, True], "nested": {"a": "Rome"}, "long": "Ab" * 99, "n": "1"},
        {"plan": "pro", "list": ["b"], "nested": ["x", None], "long": "ab" * 500, "n": 1},
        {"plan": 5, "list": {}, "nested": "Rome", "n": "2026-01-01"},
    ):
        client.post("/batch/subscribers", {"subscribers": [{"email": ADDRESS, "tags": "vip", **values}]})
        event = {"email": ADDRESS, "type": "$update_fields", "details": {"plan": f"{values['plan']}!"}}
        client.post("/batch/events", {"events": [event]})
        if is_merged:
            field_values.merge(client.site.id)
    for command in ("unsubscribe", "subscribe", "unsubscribe"):
        client.post("/fetch/commands", {"command": {"command": command, "email": ADDRESS}})
    client.post("/fetch/commands", {"command": {"command": "remove_field", "email": ADDRESS, "query": "n"}})
    bob = int(others["id"])
    erase(client, email=ADDRESS)
    with database.session():
        left = set(
            database.rows(
                "SELECT 'consent_changes', subscriber_id FROM consent_changes "
                "UNION ALL SELECT 'subscriber_tags', subscriber_id FROM subscriber_tags "
                "UNION ALL SELECT 'events', subscriber_id FROM events"
            )
        )
        for _, ids in stored_values.all_sets(client.site.id):
            left.update(("values", id_) for id_ in ids)
        for change in value_changes.of_site(client.site.id):
            left.update(("value_changes", id_) for lists in change[1:] for id_ in lists.ids)
    changes = set() if is_merged else {("value_changes", bob)}
    assert left == {("values", bob), ("subscriber_tags", bob)} | changes


@pytest.mark.of_sqlite
@pytest.mark.parametrize("leave", ["erase", "move"])
def test_the_domain_of_one_person_goes_with_the_address(client, settings, leave):
    client.create("ann@canarydomain.example")
    assert traces(settings, "canarydomain")
    if leave == "move":
        moved = {"command": "change_email", "email": "ann@canarydomain.example", "query": ADDRESS}
        assert client.post("/fetch/commands", {"command": moved}).json["results"] == 1
    erase(client, email=ADDRESS if leave == "move" else "ann@canarydomain.example")
    assert traces(settings, "canarydomain") == set()


def test_an_import_does_not_restore_an_erased_subscriber_but_subscribe_does(client):
    client.create(ADDRESS)
    erase(client, email=ADDRESS)
    answer = client.post("/batch/subscribers", {"subscribers": [{"email": ADDRESS}]}).json
    outcome = client.get(f"/batch/imports/{answer['import_id']}").json["data"]["attributes"]
    assert (outcome["suppressed"], outcome["failed"], outcome["created"]) == (1, 1, 0)
    assert client.post("/fetch/subscribers", {"email": ADDRESS}).status_code == 422
    unsubscribed = {"email": ADDRESS, "command": "unsubscribe"}
    client.post("/batch/subscribers", {"subscribers": [unsubscribed]})
    assert client.find(ADDRESS) is None
    client.post("/fetch/commands", {"command": {"command": "subscribe", "email": ADDRESS}})
    assert client.find(ADDRESS)


@pytest.mark.of_sqlite
def test_waiting_rows_are_blanked_in_place_and_counted_as_suppressed(client, settings):
    rows = [{"email": f"subscriber{each}@example.com"} for each in range(1200)]
    rows[700] = {"email": ADDRESS.upper(), "first_name": "Canaryfirst", "command": "subscribe"}
    client.post("/batch/subscribers", {"subscribers": rows[:900]})
    text = "".join(json.dumps(row) + "\n" for row in rows)
    client.call(
        "POST",
        "/batch/imports",
        data=text.encode(),
        content_type="application/x-ndjson",
        query=AGREED,
    )
    assert traces(settings, "Canaryfirst")
    erase(client, email=ADDRESS)
    assert {needle for _, needle in traces(settings, *NEEDLES, ADDRESS.upper())} == set()
    site_lane.drain(client.site.id, 20)
    outcomes = [each["attributes"] for each in client.get("/batch/imports").json["data"]]
    assert [(each["status"], each["total"], each["processed"]) for each in outcomes] == [
        ("finished", 1200, 1200), ("finished", 900, 900),
    ]  # fmt: skip
    assert [(each["created"], each["unchanged"], each["suppressed"]) for each in outcomes] == [
        (300, 899, 1), (899, 0, 1),
    ]  # fmt: skip
    assert client.find(ADDRESS) is None


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "erase-1"}], ids=["plain", "with a key"])
def test_a_worker_removes_the_waiting_rows_that_the_request_could_not(client, monkeypatch, headers):
    rows = [{"email": ADDRESS, "first_name": "Canaryfirst"}, {"email": "bob@example.com"}]
    client.post("/batch/subscribers", {"subscribers": rows})
    monkeypatch.setattr(waiting_imports, "_rewrite", failing := Mock(side_effect=Unavailable))
    for _ in range(2 if headers else 1):
        answer = client.delete("/fetch/subscribers", query={"email": ADDRESS}, headers=headers)
        assert (answer.status_code, answer.json) == (200, {"data": None})
    assert failing.called
    monkeypatch.undo()
    later = [{"email": ADDRESS, "command": "subscribe"}, {"email": "eve@example.com"}]
    client.post("/batch/subscribers", {"subscribers": later})
    run_due(waiting_imports.KIND)
    with database.session():
        payloads = database.column("SELECT payload FROM import_batches ORDER BY id")
    assert [ADDRESS in payload for payload in payloads] == [False, True]
    assert ["bob@" in payload for payload in payloads] == [True, False]
    assert waiting_imports.KIND.name not in jobs.due_kinds(client.site.id)
    site_lane.drain(client.site.id, 20)
    assert client.find(ADDRESS)["attributes"]["first_name"] is None


def test_an_import_that_a_worker_has_already_read_does_not_restore_the_subscriber(client, monkeypatch):
    rows = [{"email": f"subscriber{each}@example.com"} for each in range(999)] + [{"email": ADDRESS}]
    client.post("/batch/subscribers", {"subscribers": rows})
    monkeypatch.setattr(imports, "_pace", Pace(200, 200, 200))
    monkeypatch.setattr(  # after a transaction
        imports._pace, "learn", lambda *_: client.find(ADDRESS) or erase(client, email=ADDRESS)
    )
    site_lane.drain(client.site.id, 20)
    assert client.find(ADDRESS) is None
    assert client.counts()[0] == 999


@pytest.mark.of_sqlite
def test_refused_rows_of_the_subscriber_are_erased(client, settings):
    text = f"email,first_name,plan\n{ADDRESS},Canaryfirst,x,y\nbob@example.com,Bob,x,y\n"
    client.call("POST", "/batch/imports", data=text.encode(), content_type="text/csv", query=AGREED)
    assert traces(settings, "Canaryfirst")
    assert not traces(settings, ADDRESS)
    erase(client, email=ADDRESS)
    assert traces(settings, *NEEDLES) == set()
    errors = client.get("/batch/imports/1/errors.csv").text.splitlines()
    assert len(errors) == 2
    assert "Bob" in errors[1]


def test_an_erasure_is_logged_before_it_happens(client, settings):
    before = clock.now_ms()
    erase(client, email=ADDRESS)
    erase(client, email="bob@example.com")
    logged = erasure_log.list_all(settings.instance)
    assert [each.address_hash for each in logged] == [
        site_keys.address_hash(client.site.id, each) for each in (ADDRESS, "bob@example.com")
    ]
    assert {each.pepper_check for each in logged} == {pepper.check_value()}
    assert {each.site_uuid for each in logged} == {client.site.uuid}
    assert before <= logged[0].at <= clock.now_ms()
    if file := erasure_log.file_of(settings.instance):
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        assert [line for line in lines if line.keys() - logged[0]._asdict().keys() != {"check"}] == []
        assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.of_sqlite
def test_a_truncated_line_does_not_affect_the_next(client, settings):
    erase(client, email=ADDRESS)
    log = settings.instance / erasure_log.LOG
    with log.open("a") as file:
        file.write('{"site_uuid": "')
    erase(client, email="bob@example.com")
    assert [json.loads(line)["site_uuid"] for line in log.read_text().splitlines()] == [client.site.uuid] * 2


@pytest.mark.of_sqlite
def test_a_reader_delays_the_truncation_and_a_retry_completes_it(client, settings):
    fill(client)
    reading, done = threading.Event(), threading.Event()

    def read():
        with database.session(), database.database.atomic():
            database.rows("SELECT count(*) FROM subscribers")
            reading.set()
            done.wait(20)

    reader = threading.Thread(target=read)
    reader.start()
    reading.wait(20)
    erase(client, email=ADDRESS)
    assert traces(settings, "Canaryfirst")
    assert not run(settings.instance)
    done.set()
    reader.join()
    assert run(settings.instance)
    assert traces(settings, *NEEDLES) == set()
    assert not list(settings.instance.glob(MARKER))


@pytest.mark.parametrize("query", [{"uuid": "01a1f7ec1e7f757f807f86f10b446999"}, {"email": "no@example.com"}])
def test_erasing_an_unknown_subscriber_has_the_same_response(client, query):
    erase(client, **query)


@pytest.mark.parametrize("query", [{}, {"email": "no address"}, {"uuid": "nobody"}])
def test_erasing_nobody_in_particular_is_a_422(client, query):
    assert client.delete("/fetch/subscribers", query=query).status_code == 422


def test_a_key_of_another_site_erases_no_subscriber(client, other_client):
    subscriber = client.create(ADDRESS)
    erase(other_client, email=ADDRESS)
    erase(other_client, uuid=subscriber["attributes"]["uuid"])
    assert client.find(ADDRESS)


def test_erasing_requires_the_full_scope(app):
    reader = open_client(app.test_client(), "read")
    assert reader.delete("/fetch/subscribers", query={"email": ADDRESS}).status_code == 403
