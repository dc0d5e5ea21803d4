"""Import people and follow the import (spec section 4.9, contract section 2)."""

import threading
from dataclasses import replace

import pytest

from app import create_app
from audience import clock, imports, journal, subscribers
from audience.config import Settings
from storage import database
from storage import imports as stored
from storage.errors import Unavailable
from tests import shapes
from tests.api.endpoints import ADDRESSES
from tests.api.test_subscribers import BAD_ADDRESSES, HOSTILE, erase
from tests.door import Fit, Patient, Rung, open_door

ADA = "ada@example.com"


def send(door, *items):
    return door.post("/batch/subscribers", {"subscribers": list(items)})


def accepted(door, *items):
    """The answer to an import; its errors' fields."""
    answer = shapes.answer(send(door, *items))
    shapes.keys(answer, "result", "results", "failed", "import_id", "errors")
    shapes.text(answer["import_id"], shapes.DIGITS)
    assert answer["result"] == answer["results"]
    assert answer["results"] + answer["failed"] == len(items)
    return answer, [field for field, _ in shapes.errors(answer["errors"], 200)]


def imported(door, *items):
    """An import whose items are all good, applied; its progress."""
    answer, errors = accepted(door, *items)
    assert errors == []
    imports.drain(door.site.id, 30)
    return progress(door, answer["import_id"])


def progress(door, import_id):
    found = shapes.answer(door.get(f"/batch/imports/{import_id}"))
    shapes.keys(found, "data")
    assert found["data"]["id"] == import_id
    return shapes.import_(found["data"])


def counts(found):
    return tuple(found[name] for name in ("created", "updated", "unchanged", "failed", "suppressed"))


def test_one_person_is_there_before_the_answer(door):
    answer, _ = accepted(door, {"email": f" {ADA} ", "first_name": "Ada", "tags": "vip,new", "plan": "pro"})
    found = shapes.subscriber(door.find(ADA))
    assert found["email"] == ADA
    assert found["fields"] == {"first_name": "Ada", "plan": "pro"}
    assert len(found["cached_tag_ids"]) == 2
    followed = progress(door, answer["import_id"])
    assert (followed["status"], followed["total"], followed["processed"]) == ("finished", 1, 1)
    assert followed["finished_at"] >= followed["started_at"] >= followed["created_at"]


def test_more_go_through_the_queue(door, app):
    answer, _ = accepted(door, *({"email": email} for email in ADDRESSES[:1000]))
    queued = progress(door, answer["import_id"])
    assert (queued["status"], queued["total"], queued["processed"]) == ("queued", 1000, 0)
    assert queued["started_at"] is queued["finished_at"] is None
    assert app.extensions["audience"].doorbell.sites == [door.site.id]
    assert door.counts() == (0, 0, 0)
    assert imports.drain(door.site.id, 30) is False
    followed = progress(door, answer["import_id"])
    assert (followed["status"], followed["processed"], counts(followed)) == (
        "finished",
        1000,
        (1000, 0, 0, 0, 0),
    )
    assert door.counts() == (1000, 1000, 0)


@pytest.mark.parametrize("subscribers", [
    None, [], {}, "x", 5, {"email": ADA}, [{"email": email} for email in ADDRESSES], [None] * 1001,
], ids=lambda value: repr(value)[:20])  # fmt: skip
def test_no_list_or_one_too_long_is_a_422(door, subscribers):
    assert shapes.error_fields(door.post("/batch/subscribers", {"subscribers": subscribers})) == [
        "subscribers"
    ]
    assert door.get("/batch/imports").json == {"data": []}


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
    ({"email": ADA, "k" * 101: 1}, ""), ({"email": ADA, "": 1}, ""), ({"email": ADA, "a\0": 1}, ""),
])  # fmt: skip
def test_a_bad_item_refuses_itself_alone(door, item, field):
    answer, errors = accepted(door, {"email": "one@example.com"}, item, {"email": "two@example.com"})
    assert (answer["result"], answer["failed"], errors) == (2, 1, [f"subscribers[1]{field}"])
    imports.drain(door.site.id, 30)
    followed = progress(door, answer["import_id"])
    assert (followed["total"], followed["processed"], counts(followed)) == (3, 3, (2, 0, 0, 1, 0))
    assert door.counts() == (2, 2, 0)


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize(("place", "field"), [
    ('"fields": {"plan": $}', ".fields.plan"), ('"plan": $', ".plan"), ('"first_name": $', ".first_name"),
])  # fmt: skip
def test_a_value_that_cannot_be_kept_refuses_its_item(door, place, value, field):
    item = '{"email": "ada@example.com", ' + place.replace("$", value) + "}"
    data = f'{{"subscribers": [{{"email": "one@example.com"}}, {item}]}}'
    answer = shapes.answer(door.call("POST", "/batch/subscribers", data=data.encode()))
    assert (answer["result"], answer["failed"]) == (1, 1)
    assert [each for each, _ in shapes.errors(answer["errors"], 200)] == [f"subscribers[1]{field}"]
    assert door.find(ADA) is None
    shapes.answer(door.get("/fetch/search"))


def test_several_faults_of_an_item_count_once(door):
    answer, errors = accepted(door, {"first_name": {}, "tags": {}}, {"email": "nonsense"})
    assert (answer["result"], answer["failed"]) == (0, 2)
    assert sorted(errors[:-1]) == sorted(f"subscribers[0].{name}" for name in ("email", "first_name", "tags"))
    assert errors[-1] == "subscribers[1].email"
    followed = progress(door, answer["import_id"])
    assert (followed["status"], followed["processed"], counts(followed)) == ("finished", 2, (0, 0, 0, 2, 0))


def test_of_many_faults_the_first_are_listed_and_every_item_counts(door):
    faults = {f"k{number:b}": float("inf") for number in range(30)}
    answer, errors = accepted(door, *[{"email": ADA, **faults}] * 1000)
    assert (answer["result"], answer["failed"]) == (0, 1000)
    assert len([each for each in errors if each.startswith("subscribers[0].")]) == 20
    assert {each.partition(".")[0] for each in errors} == {f"subscribers[{row}]" for row in range(1000)}
    assert len(errors) < 2100


def test_every_item_bad_behind_a_waiting_import_still_answers(door):
    accepted(door, *({"email": email} for email in ADDRESSES[:2]))
    answer, _ = accepted(door, *[{}] * 1000)
    assert (answer["result"], answer["failed"]) == (0, 1000)
    imports.drain(door.site.id, 30)
    assert progress(door, answer["import_id"])["status"] == "finished"


def test_what_an_import_changes_and_what_not(door, monkeypatch):
    rows = [{"email": "a@example.com", "plan": "pro", "tags": "vip"}, {"email": "b@example.com"}]
    assert counts(imported(door, *rows)) == (2, 0, 0, 0, 0)
    before = door.find("a@example.com")
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + 60_000)
    assert counts(imported(door, *rows)) == (0, 0, 2, 0, 0)
    assert door.find("a@example.com") == before
    changes = [
        {"email": "A@EXAMPLE.COM", "plan": "max", "fields": {"n": 1}, "remove_tags": "Vip"},
        {"email": "b@example.com"},
    ]
    assert counts(imported(door, *changes)) == (0, 1, 1, 0, 0)
    after = shapes.subscriber(door.find("a@example.com"))
    assert (after["email"], after["fields"], after["cached_tag_ids"]) == (
        "a@example.com",
        {"plan": "max", "n": 1},
        [],
    )
    assert after["updated_at"] > after["created_at"]


def test_the_same_address_twice_is_applied_in_order(door):
    found = imported(
        door,
        {"email": ADA, "plan": "a", "first_name": "Ada", "tags": "x"},
        {"email": "ADA@example.com", "plan": "b", "age": 1, "remove_tags": "x"},
        {"email": ADA, "plan": "c", "command": "unsubscribe"},
    )
    assert counts(found) == (1, 2, 0, 0, 0)
    person = shapes.subscriber(door.find(ADA))
    assert person["fields"] == {"plan": "c", "age": 1, "first_name": "Ada"}
    assert person["cached_tag_ids"] == []
    assert door.counts() == (1, 0, 1)


def test_reserved_keys_never_touch_a_column(door):
    before = door.create(ADA)
    noise = {
        "id": 9, "uuid": "x", "type": "x", "site_uuid": "x", "site_id": 9, "cached_tag_ids": [9],
        "navigation_url": 5,
        "created_at": "2001-01-01", "updated_at": 1, "last_event_at": "x", "unsubscribed_at": "2001-01-01",
    }  # fmt: skip
    assert counts(imported(door, {"email": ADA, **noise})) == (0, 0, 1, 0, 0)
    assert door.find(ADA) == before
    assert imported(door, {"email": "b@example.com", **noise})["created"] == 1
    assert shapes.subscriber(door.find("b@example.com"))["fields"] == {}
    assert door.counts() == (2, 2, 0)


def test_suppressed_items_count_as_failed(door):
    erase(door, ADA)
    found = imported(
        door, {"email": ADA}, {"email": "b@example.com"}, {"email": ADA, "command": "unsubscribe"}
    )
    assert counts(found) == (1, 0, 0, 2, 2)
    assert door.find(ADA) is None
    assert counts(imported(door, {"email": ADA, "command": "subscribe"}, {"email": ADA, "a": 1})) == (
        1,
        1,
        0,
        0,
        0,
    )


def test_another_site_sees_nothing_of_an_import(door, stranger):
    answer, _ = accepted(door, {"email": ADA}, {"email": "b@example.com"})
    shapes.error(stranger.get(f"/batch/imports/{answer['import_id']}"), 404)
    assert stranger.get("/batch/imports").json == {"data": []}
    imports.drain(stranger.site.id, 1)
    assert progress(door, answer["import_id"])["status"] == "queued"


def test_the_newest_hundred_imports_are_listed(door):
    ids = [accepted(door, {"email": ADA})[0]["import_id"] for _ in range(102)]
    listed = shapes.answer(door.get("/batch/imports"))
    shapes.keys(listed, "data")
    assert all(shapes.import_(each)["status"] == "finished" for each in listed["data"])
    assert [each["id"] for each in listed["data"]] == ids[:1:-1]


def test_one_behind_waiting_imports_waits_for_its_turn(door, app):
    """The worker drains as soon as it is rung for the second import."""
    drained = []

    class Worker(Rung):
        def ring(self, site_id):
            super().ring(site_id)
            if len(self.sites) == 2:
                drained.append(threading.Thread(target=imports.drain, args=(site_id, 30)))
                drained[0].start()

    app.extensions["audience"] = replace(app.extensions["audience"], doorbell=Worker())
    accepted(door, {"email": ADA, "plan": "old"}, {"email": "b@example.com"})
    answer, _ = accepted(door, {"email": ADA, "plan": "new"})
    assert progress(door, answer["import_id"])["status"] == "finished"
    drained[0].join(30)
    assert shapes.subscriber(door.find(ADA))["fields"] == {"plan": "new"}


def test_one_behind_imports_that_stay_answers_all_the_same(door, monkeypatch):
    monkeypatch.setattr(imports, "WAIT", 0.0)
    accepted(door, {"email": ADA, "plan": "old"}, {"email": "b@example.com"})
    answer, _ = accepted(door, {"email": ADA, "plan": "new"})
    assert progress(door, answer["import_id"])["status"] == "queued"
    assert door.find(ADA) is None
    imports.drain(door.site.id, 30)
    assert shapes.subscriber(door.find(ADA))["fields"] == {"plan": "new"}


def test_imports_of_another_site_hold_nothing_up(door, stranger):
    accepted(stranger, {"email": ADA}, {"email": "b@example.com"})
    accepted(door, {"email": ADA})
    assert door.find(ADA) is not None


@pytest.mark.parametrize(("rows", "at_once", "queued"), [(0, 0, 1), (3, 3, 4)])
def test_how_many_rows_are_written_at_once_is_a_setting(tmp_path, rows, at_once, queued):
    app = create_app(Settings(instance=tmp_path, import_inline_rows=rows), Rung(), Patient(), Fit())
    database.migrate()
    door = open_door(app.test_client())
    if at_once:
        accepted(door, *({"email": email} for email in ADDRESSES[:at_once]))
    assert door.counts() == (at_once, at_once, 0)
    accepted(door, *({"email": email} for email in ADDRESSES[at_once : at_once + queued]))
    assert door.counts() == (at_once, at_once, 0)


def test_what_is_accepted_is_a_success_though_the_database_goes_away(door, monkeypatch):
    def away(*_):
        raise Unavailable("database is locked")

    with monkeypatch.context() as patch:
        patch.setattr(stored, "by_id", away)
        at_once, _ = accepted(door, {"email": ADA})
        accepted(door, {"email": ADA}, {"email": "b@example.com"})
        in_turn, _ = accepted(door, {"email": "c@example.com"})
    assert progress(door, at_once["import_id"])["status"] == "finished"
    assert progress(door, in_turn["import_id"])["status"] == "queued"


def test_the_journal_hears_of_an_import_when_it_is_on_disk(door, monkeypatch):
    told = []

    def hear(batch):
        told.append((batch.status, batch.created, batch.unchanged, database.database.in_transaction()))

    def fail(*_):
        raise RuntimeError

    monkeypatch.setattr(journal, "batch", hear)
    accepted(door, {"email": ADA})
    accepted(door, {"email": ADA}, {"email": "b@example.com"})
    imports.drain(door.site.id, 30)
    accepted(door, {})
    accepted(door, {"email": ADA}, {"email": "b@example.com"})
    monkeypatch.setattr(subscribers, "write", fail)
    now = clock.now()
    for minutes in range(6):
        monkeypatch.setattr(clock, "now", lambda at=now + minutes * 60_000: at)
        imports.drain(door.site.id, 30)
    ended = [("finished", 1, 0), ("finished", 1, 1), ("finished", 0, 0), ("failed", 0, 0)]
    assert told == [(*each, False) for each in ended]
