"""Import subscribers and follow the import (docs/contract.md, Imports)."""

import pytest

from app import create_app
from audience import clock, telemetry
from audience.config import Settings
from audience.imports import imports
from audience.operations import site_lane
from audience.subscribers import subscribers
from storage import database, leases
from storage.errors import Unavailable
from storage.imports import imports as stored
from storage.pace import Pace
from tests import response_assertions
from tests.api.endpoints import ADDRESSES
from tests.api.test_subscribers import BAD_ADDRESSES, HOSTILE, erase
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, open_client

ADA = "ada@example.com"


def send(client, *items):
    return client.post("/batch/subscribers", {"subscribers": list(items)})


def accepted(client, *items):
    """Sends an import; returns the response and the fields of its errors."""
    answer = response_assertions.answer(send(client, *items))
    response_assertions.keys(answer, "result", "results", "failed", "import_id", "errors")
    response_assertions.text(answer["import_id"], response_assertions.DIGITS)
    assert answer["result"] == answer["results"]
    assert answer["results"] + answer["failed"] == len(items)
    return answer, [field for field, _ in response_assertions.errors(answer["errors"], 200)]


def imported(client, *items):
    """Sends and applies an import without errors; returns its progress."""
    answer, errors = accepted(client, *items)
    assert errors == []
    site_lane.drain(client.site.id, 30)
    return progress(client, answer["import_id"])


def progress(client, import_id):
    attributes = response_assertions.answer(client.get(f"/batch/imports/{import_id}"))
    response_assertions.keys(attributes, "data")
    assert attributes["data"]["id"] == import_id
    return response_assertions.import_(attributes["data"])


def counts(attributes):
    return tuple(attributes[name] for name in ("created", "updated", "unchanged", "failed", "suppressed"))


def test_a_single_subscriber_is_stored_before_the_response(client):
    answer, _ = accepted(client, {"email": f" {ADA} ", "first_name": "Ada", "tags": "vip,new", "plan": "pro"})
    attributes = response_assertions.subscriber(client.find(ADA))
    assert attributes["email"] == ADA
    assert attributes["fields"] == {"first_name": "Ada", "plan": "pro"}
    assert len(attributes["cached_tag_ids"]) == 2
    followed = progress(client, answer["import_id"])
    assert (followed["status"], followed["total"], followed["processed"]) == ("finished", 1, 1)
    assert followed["finished_at"] >= followed["started_at"] >= followed["created_at"]


def test_several_subscribers_go_through_the_queue(client, app):
    answer, _ = accepted(client, *({"email": email} for email in ADDRESSES[:1000]))
    queued = progress(client, answer["import_id"])
    assert (queued["status"], queued["total"], queued["processed"]) == ("queued", 1000, 0)
    assert queued["started_at"] is queued["finished_at"] is None
    assert app.extensions["audience"].import_queue.sites == [client.site.id]
    assert client.counts() == (0, 0, 0)
    assert site_lane.drain(client.site.id, 30) is False
    followed = progress(client, answer["import_id"])
    assert (followed["status"], followed["processed"], counts(followed)) == (
        "finished",
        1000,
        (1000, 0, 0, 0, 0),
    )
    assert client.counts() == (1000, 1000, 0)


@pytest.mark.parametrize("subscribers", [
    None, [], {}, "x", 5, {"email": ADA}, [{"email": email} for email in ADDRESSES], [None] * 1001,
], ids=lambda value: repr(value)[:20])  # fmt: skip
def test_a_missing_or_too_long_list_is_a_422(client, subscribers):
    assert response_assertions.error_fields(
        client.post("/batch/subscribers", {"subscribers": subscribers})
    ) == ["subscribers"]
    assert client.get("/batch/imports").json == {"data": []}


@pytest.mark.parametrize(("item", "field"), [
    *(({"email": address}, ".email") for address in BAD_ADDRESSES),
    ({}, ".email"), ({"first_name": "x"}, ".email"), ({"email": None}, ".email"), ({"email": [ADA]},
    ".email"),
    (None, ""), ("x", ""), (5, ""), ([1], ""), ([], ".email"), ({"email": ADA, "first_name": {}},
    ".first_name"),
    ({"email": ADA, "tags": {"a": 1}}, ".tags"), ({"email": ADA, "remove_tags": [[]]}, ".remove_tags"),
    ({"email": ADA, "fields": "x"}, ".fields"), ({"email": ADA, "fields": {"last_name": []}},
    ".fields.last_name"),
    ({"email": ADA, "command": "delete"}, ".command"), ({"email": ADA, "command": []}, ".command"),
    ({"email": ADA, "k" * 101: 1}, "[1]"), ({"email": ADA, "": 1}, "[1]"), ({"email": ADA, "a\0": 1}, "[1]"),
])  # fmt: skip
def test_only_the_bad_item_is_refused(client, item, field):
    answer, errors = accepted(client, {"email": "one@example.com"}, item, {"email": "two@example.com"})
    assert (answer["result"], answer["failed"], errors) == (2, 1, [f"subscribers[1]{field}"])
    site_lane.drain(client.site.id, 30)
    followed = progress(client, answer["import_id"])
    assert (followed["total"], followed["processed"], counts(followed)) == (3, 3, (2, 0, 0, 1, 0))
    assert client.counts() == (2, 2, 0)


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize(("place", "field"), [
    ('"fields": {"plan": $}', ".fields[0]"), ('"plan": $', "[1]"), ('"first_name": $', ".first_name"),
])  # fmt: skip
def test_a_value_that_cannot_be_stored_refuses_only_its_item(client, place, value, field):
    item = '{"email": "ada@example.com", ' + place.replace("$", value) + "}"
    data = f'{{"subscribers": [{{"email": "one@example.com"}}, {item}]}}'
    answer = response_assertions.answer(client.call("POST", "/batch/subscribers", data=data.encode()))
    assert (answer["result"], answer["failed"]) == (1, 1)
    assert [each for each, _ in response_assertions.errors(answer["errors"], 200)] == [
        f"subscribers[1]{field}"
    ]
    assert client.find(ADA) is None
    response_assertions.answer(client.get("/fetch/search"))


def test_an_item_with_several_errors_counts_once(client):
    answer, errors = accepted(client, {"first_name": {}, "tags": {}}, {"email": "nonsense"})
    assert (answer["result"], answer["failed"]) == (0, 2)
    assert sorted(errors[:-1]) == sorted(f"subscribers[0].{name}" for name in ("email", "first_name", "tags"))
    assert errors[-1] == "subscribers[1].email"
    followed = progress(client, answer["import_id"])
    assert (followed["status"], followed["processed"], counts(followed)) == ("finished", 2, (0, 0, 0, 2, 0))


def test_only_the_first_errors_are_listed_but_every_item_is_counted(client):
    faults = {f"k{number:b}": float("inf") for number in range(30)}
    answer, errors = accepted(client, *[{"email": ADA, **faults}] * 1000)
    assert (answer["result"], answer["failed"]) == (0, 1000)
    assert len([each for each in errors if each.startswith("subscribers[0][")]) == 20
    assert {each.split("]")[0] for each in errors} == {f"subscribers[{row}" for row in range(1000)}
    assert len(errors) < 2100


def test_an_import_changes_only_the_fields_it_names(client, monkeypatch):
    rows = [{"email": "a@example.com", "plan": "pro", "tags": "vip"}, {"email": "b@example.com"}]
    assert counts(imported(client, *rows)) == (2, 0, 0, 0, 0)
    before = client.find("a@example.com")
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + 60_000)
    assert counts(imported(client, *rows)) == (0, 0, 2, 0, 0)
    assert client.find("a@example.com") == before
    changes = [
        {"email": "A@EXAMPLE.COM", "plan": "max", "fields": {"n": 1}, "remove_tags": "Vip"},
        {"email": "b@example.com"},
    ]
    assert counts(imported(client, *changes)) == (0, 1, 1, 0, 0)
    after = response_assertions.subscriber(client.find("a@example.com"))
    assert (after["email"], after["fields"], after["cached_tag_ids"]) == (
        "a@example.com",
        {"plan": "max", "n": 1},
        [],
    )
    assert after["updated_at"] > after["created_at"]


def test_the_same_address_twice_is_applied_in_order(client):
    attributes = imported(
        client,
        {"email": ADA, "plan": "a", "first_name": "Ada", "tags": "x"},
        {"email": "ADA@example.com", "plan": "b", "age": 1, "remove_tags": "x"},
        {"email": ADA, "plan": "c", "command": "unsubscribe"},
    )
    assert counts(attributes) == (1, 2, 0, 0, 0)
    subscriber = response_assertions.subscriber(client.find(ADA))
    assert subscriber["fields"] == {"plan": "c", "age": 1, "first_name": "Ada"}
    assert subscriber["cached_tag_ids"] == []
    assert client.counts() == (1, 0, 1)


def test_reserved_keys_never_touch_a_column(client):
    before = client.create(ADA)
    noise = {
        "id": 9, "uuid": "x", "type": "x", "site_uuid": "x", "site_id": 9, "cached_tag_ids": [9],
        "navigation_url": 5,
        "created_at": "2001-01-01", "updated_at": 1, "last_event_at": "x", "unsubscribed_at": "2001-01-01",
    }  # fmt: skip
    assert counts(imported(client, {"email": ADA, **noise})) == (0, 0, 1, 0, 0)
    assert client.find(ADA) == before
    assert imported(client, {"email": "b@example.com", **noise})["created"] == 1
    assert response_assertions.subscriber(client.find("b@example.com"))["fields"] == {}
    assert client.counts() == (2, 2, 0)


def test_suppressed_items_count_as_failed(client):
    erase(client, ADA)
    attributes = imported(
        client, {"email": ADA}, {"email": "b@example.com"}, {"email": ADA, "command": "unsubscribe"}
    )
    assert counts(attributes) == (1, 0, 0, 2, 2)
    assert client.find(ADA) is None
    assert counts(imported(client, {"email": ADA, "command": "subscribe"}, {"email": ADA, "a": 1})) == (
        1,
        1,
        0,
        0,
        0,
    )


def test_another_site_sees_nothing_of_an_import(client, other_client):
    answer, _ = accepted(client, {"email": ADA}, {"email": "b@example.com"})
    response_assertions.error(other_client.get(f"/batch/imports/{answer['import_id']}"), 404)
    assert other_client.get("/batch/imports").json == {"data": []}
    site_lane.drain(other_client.site.id, 1)
    assert progress(client, answer["import_id"])["status"] == "queued"


@pytest.mark.parametrize("rest", ["", "/errors.csv"])
@pytest.mark.parametrize("import_id", ["1", "x", "-1", "9" * 30])
def test_an_unknown_or_malformed_id_is_no_import(client, import_id, rest):
    answer = client.get(f"/batch/imports/{import_id}{rest}")
    response_assertions.error(answer, 404)
    assert answer.json["error"].startswith("Import not found")


def test_the_newest_hundred_imports_are_listed(client):
    ids = [accepted(client, {"email": ADA})[0]["import_id"] for _ in range(102)]
    listed = response_assertions.answer(client.get("/batch/imports"))
    response_assertions.keys(listed, "data")
    assert all(response_assertions.import_(each)["status"] == "finished" for each in listed["data"])
    assert [each["id"] for each in listed["data"]] == ids[:1:-1]


@pytest.mark.parametrize(("rows", "at_once", "queued"), [(0, 0, 1), (3, 3, 4)])
def test_the_number_of_rows_per_transaction_is_a_setting(tmp_path, rows, at_once, queued):
    app = create_app(
        Settings(instance=tmp_path, import_inline_rows=rows), FakeQueue(), FakeLimiter(), FakeProcesses()
    )
    database.migrate()
    client = open_client(app.test_client())
    if at_once:
        accepted(client, *({"email": email} for email in ADDRESSES[:at_once]))
    assert client.counts() == (at_once, at_once, 0)
    accepted(client, *({"email": email} for email in ADDRESSES[at_once : at_once + queued]))
    assert client.counts() == (at_once, at_once, 0)


@pytest.mark.parametrize(("rows", "values"), [(120, 0), (15, 700)], ids=["many rows", "many values"])
def test_an_import_that_skips_the_queue_is_written_whole(tmp_path, monkeypatch, rows, values):
    monkeypatch.setattr(imports, "_pace", Pace(20, 20, 20))
    app = create_app(
        Settings(instance=tmp_path, import_inline_rows=200), FakeQueue(), FakeLimiter(), FakeProcesses()
    )
    database.migrate()
    client = open_client(app.test_client())
    fields = {f"field{number}": number for number in range(values)}
    answer, _ = accepted(client, *({"email": email, "fields": fields} for email in ADDRESSES[:rows]))
    assert client.counts() == (rows, rows, 0)
    assert progress(client, answer["import_id"])["status"] == "finished"


def test_an_accepted_import_is_a_success_even_if_the_database_becomes_unavailable(client, monkeypatch):
    def fail_unavailable(*_):
        raise Unavailable("database is locked")

    with monkeypatch.context() as patch:
        patch.setattr(stored, "get", fail_unavailable)
        at_once, _ = accepted(client, {"email": ADA})
        accepted(client, {"email": ADA}, {"email": "b@example.com"})
        in_turn, _ = accepted(client, {"email": "c@example.com"})
    assert progress(client, at_once["import_id"])["status"] == "finished"
    assert progress(client, in_turn["import_id"])["status"] == "queued"


def test_an_import_is_recorded_after_it_is_committed(client, monkeypatch):
    recorded = []

    def record(batch):
        recorded.append((batch.status, batch.created, batch.unchanged, database.database.in_transaction()))

    def fail(*_):
        raise RuntimeError

    monkeypatch.setattr(telemetry, "record_import", record)
    accepted(client, {"email": ADA})
    accepted(client, {"email": ADA}, {"email": "b@example.com"})
    site_lane.drain(client.site.id, 30)
    accepted(client, {})
    accepted(client, {"email": ADA}, {"email": "b@example.com"})
    monkeypatch.setattr(subscribers, "write", fail)
    now = clock.uptime_ms()
    monkeypatch.setattr(leases, "now", lambda uptime: uptime)
    for minutes in range(6):
        monkeypatch.setattr(clock, "uptime_ms", lambda at=now + minutes * 60_000: at)
        site_lane.drain(client.site.id, 30)
    ended = [("finished", 1, 0), ("finished", 1, 1), ("finished", 0, 0), ("failed", 0, 0)]
    assert recorded == [(*each, False) for each in ended]
