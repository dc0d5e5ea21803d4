"""DELETE /v1/fetch/subscribers: nothing of a person stays but a keyed hash."""

import json
import threading

import pytest

from audience import clock, erasures, imports, pepper, stats
from audience.traces import MARK, settle
from storage import database
from tests.door import open_door

ADDRESS = "ann.canary@example.com"
OTHERS = 300


def erase(door, **query):
    response = door.delete("/fetch/subscribers", query=query)
    assert (response.status_code, response.json) == (200, {"data": None})


def traces(settings, *needles):
    """The files of the instance in which a needle is found."""
    return {
        (path.name, needle)
        for path in settings.instance.rglob("*")
        if path.is_file()
        for needle in needles
        if needle.encode() in path.read_bytes()
    }


def fill(door):
    """A person with tags, values and events, among others."""
    for number in range(OTHERS):
        door.create(f"person{number}@example.com", tags="many", fields={"note": "x" * 100})
    person = door.create(
        ADDRESS, first_name="Canaryfirst", tags="vip,many", fields={"note": "canarynote" * 900}
    )
    events = [{"email": ADDRESS, "type": "seen", "details": {"page": "canarypage" * n}} for n in range(99)]
    door.post("/batch/events", {"events": events})
    return person


NEEDLES = (ADDRESS, "ann.canary", "Canaryfirst", "canarynote", "canarypage")


@pytest.mark.parametrize("named", ["email", "uuid", "spelled"])
def test_every_trace_goes(door, settings, named):
    person = fill(door)
    door.create("Other." + ADDRESS)
    before = door.counts()
    door.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": ADDRESS}})
    assert traces(settings, "Canaryfirst")
    query = {
        "email": {"email": ADDRESS},
        "uuid": {"uuid": person["attributes"]["uuid"]},
        "spelled": {"email": " Ann.Canary@EXAMPLE.com "},
    }[named]
    door.delete("/fetch/subscribers", query={"email": "Other." + ADDRESS})
    erase(door, **query)
    assert traces(settings, *NEEDLES) == set()
    assert door.find(ADDRESS) is None
    users = before[0] - 2
    assert door.counts() == (users, users, 0)
    assert stats.site(door.site) == stats.recount(door.site)
    with database.session():
        assert database.rows("SELECT 1 FROM events WHERE subscriber_id = ?", (person["id"],)) == []
        assert database.rows("SELECT 1 FROM subscriber_tags WHERE subscriber_id = ?", (person["id"],)) == []


def test_an_import_does_not_bring_an_erased_person_back_and_subscribe_does(door):
    door.create(ADDRESS)
    erase(door, email=ADDRESS)
    answer = door.post("/batch/subscribers", {"subscribers": [{"email": ADDRESS}]}).json
    outcome = door.get(f"/batch/imports/{answer['import_id']}").json["data"]["attributes"]
    assert (outcome["suppressed"], outcome["failed"], outcome["created"]) == (1, 1, 0)
    assert door.post("/fetch/subscribers", {"email": ADDRESS}).status_code == 422
    door.post("/fetch/commands", {"command": {"command": "subscribe", "email": ADDRESS}})
    assert door.find(ADDRESS)


def test_what_waits_is_blanked_in_place_and_counts_as_suppressed(door, settings):
    rows = [{"email": f"person{each}@example.com"} for each in range(1200)]
    rows[700] = {"email": ADDRESS.upper(), "first_name": "Canaryfirst", "command": "subscribe"}
    door.post("/batch/subscribers", {"subscribers": rows[:900]})
    text = "".join(json.dumps(row) + "\n" for row in rows)
    door.call("POST", "/batch/imports", data=text.encode(), content_type="application/x-ndjson")
    assert traces(settings, "Canaryfirst")
    erase(door, email=ADDRESS)
    assert {needle for _, needle in traces(settings, *NEEDLES, ADDRESS.upper())} == set()
    imports.drain(door.site.id, 20)
    outcomes = [each["attributes"] for each in door.get("/batch/imports").json["data"]]
    assert [(each["status"], each["total"], each["processed"]) for each in outcomes] == [
        ("finished", 1200, 1200), ("finished", 900, 900),
    ]  # fmt: skip
    assert [(each["created"], each["unchanged"], each["suppressed"]) for each in outcomes] == [
        (300, 899, 1), (899, 0, 1),
    ]  # fmt: skip
    assert door.find(ADDRESS) is None


def test_an_import_that_a_worker_has_read_already_does_not_bring_the_person_back(door, monkeypatch):
    rows = [{"email": f"person{each}@example.com"} for each in range(999)] + [{"email": ADDRESS}]
    door.post("/batch/subscribers", {"subscribers": rows})
    monkeypatch.setattr(imports.time, "sleep", lambda _: door.find(ADDRESS) or erase(door, email=ADDRESS))
    imports.drain(door.site.id, 20)
    assert door.find(ADDRESS) is None
    assert door.counts()[0] == 999


def test_refused_rows_of_the_person_go(door, settings):
    text = f"email,first_name,created_at\n{ADDRESS},Canaryfirst,never\nbob@example.com,Bob,never\n"
    door.call("POST", "/batch/imports", data=text.encode(), content_type="text/csv")
    assert traces(settings, "Canaryfirst")
    assert not traces(settings, ADDRESS)
    erase(door, email=ADDRESS)
    assert traces(settings, *NEEDLES) == set()
    errors = door.get("/batch/imports/1/errors.csv").text.splitlines()
    assert len(errors) == 2
    assert "Bob" in errors[1]


def test_an_erasure_is_logged_before_it_is_done(door, settings):
    before = clock.now()
    erase(door, email=ADDRESS)
    erase(door, email="bob@example.com")
    log = settings.instance / erasures.LOG
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["address_hash"] for line in lines] == [
        pepper.address_hash(door.site.id, each) for each in (ADDRESS, "bob@example.com")
    ]
    assert all(line.keys() == {"site_uuid", "address_hash", "at"} for line in lines)
    assert {line["site_uuid"] for line in lines} == {door.site.uuid}
    assert before <= lines[0]["at"] <= clock.now()
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_line_that_was_cut_off_spoils_no_other(door, settings):
    erase(door, email=ADDRESS)
    log = settings.instance / erasures.LOG
    with log.open("a") as file:
        file.write('{"site_uuid": "')
    erase(door, email="bob@example.com")
    assert [json.loads(line)["site_uuid"] for line in log.read_text().splitlines()] == [door.site.uuid] * 2


def test_a_reader_puts_the_truncation_off_and_a_later_try_does_it(door, settings):
    fill(door)
    reading, done = threading.Event(), threading.Event()

    def read():
        with database.session(), database.database.atomic():
            database.rows("SELECT count(*) FROM subscribers")
            reading.set()
            done.wait(20)

    reader = threading.Thread(target=read)
    reader.start()
    reading.wait(20)
    erase(door, email=ADDRESS)
    assert traces(settings, "Canaryfirst")
    assert not settle(settings.instance)
    done.set()
    reader.join()
    assert settle(settings.instance)
    assert traces(settings, *NEEDLES) == set()
    assert not list(settings.instance.glob(MARK))


@pytest.mark.parametrize(
    "query", [{}, {"email": "no address"}, {"uuid": "nobody"}, {"email": "no@example.com"}]
)
def test_erasing_nobody_answers_the_same(door, query):
    erase(door, **query)


def test_a_stranger_erases_nobody_here(door, stranger):
    person = door.create(ADDRESS)
    erase(stranger, email=ADDRESS)
    erase(stranger, uuid=person["attributes"]["uuid"])
    assert door.find(ADDRESS)


def test_erasing_needs_the_scope_full(app):
    reader = open_door(app.test_client(), "read")
    assert reader.delete("/fetch/subscribers", query={"email": ADDRESS}).status_code == 403
