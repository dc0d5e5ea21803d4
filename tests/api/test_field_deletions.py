"""Delete a custom field: a job removes its values (docs/contract.md, Fields)."""

import pytest

from audience import jobs
from audience.bulk import actions, chunks, field_deletions
from audience.operations import site_lane
from audience.subscribers import field_values
from storage import database
from tests import response_assertions
from tests.api.endpoints import ADDRESSES
from tests.change_mirror import normal, state
from tests.jobs import run_bulk_actions


class Killed(BaseException):
    """Not an `Exception`: no handler runs."""


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(field_deletions, "CHUNK_ROWS", 2)


@pytest.fixture
def work(tmp_path):
    """What a worker does with all its time."""
    instance = tmp_path / "instance"
    instance.mkdir(exist_ok=True)
    return lambda: run_bulk_actions(instance)


def same(mirror):
    mirror.follow(3)
    assert normal(mirror.people) == normal(state(mirror.site))
    return True


def fill(client, people=5):
    for number in range(people):
        fields = {"plan": ["pro", "free", {"a": number}, [1, 2], True][number % 5], "city": "Oslo"}
        client.create(f"p{number}@example.com", fields=fields)
    client.create("none@example.com", fields={"city": "Bergen"})
    return id_of(client, "plan")


def keys(client):
    return {each["attributes"]["key"]: each["id"] for each in client.get("/fetch/fields").json["data"]}


def id_of(client, key):
    return keys(client)[key]


def delete(client, field_id, **headers):
    return client.call("DELETE", f"/fetch/fields/{field_id}", headers=headers)


def values(client, key):
    data = client.post("/fetch/search", {}).json["data"]
    return [each["attributes"]["fields"][key] for each in data if key in each["attributes"]["fields"]]


def test_its_values_go_and_then_the_field(client, mirror, work):
    field_id = fill(client)
    answer = response_assertions.answer(delete(client, field_id))
    response_assertions.keys(answer, "message", "data")
    assert answer["data"]["attributes"]["key"] == "plan"
    assert "plan" in keys(client)
    work()
    assert same(mirror)
    assert (list(keys(client)), values(client, "plan"), len(values(client, "city"))) == (["city"], [], 6)
    [action] = actions.newest(client.site)
    assert (action.status, action.people, action.done, action.changed) == ("finished", 5, 5, 5)
    with database.session():
        others = "SELECT count(*) FROM distinct_values WHERE field_id <> 0 AND folded <> 'oslo'"
        assert database.value(others, (), 0) == 1
    response_assertions.error(delete(client, field_id), 404)
    assert field_values.differing(client.site)[0] == 0


def test_a_field_that_nobody_has_is_deleted(client, work):
    client.post("/fetch/fields", {"field": {"key": "plan"}})
    delete(client, id_of(client, "plan"))
    work()
    assert keys(client) == {}


def test_a_worker_that_is_killed_is_followed_by_one_that_ends_it(client, mirror, work, monkeypatch):
    delete(client, fill(client))
    write, killed = chunks._write, list[int]()

    def once(*arguments):
        killed.append(len(killed))
        if len(killed) == 2:
            raise Killed
        return write(*arguments)

    monkeypatch.setattr(chunks, "_write", once)
    with pytest.raises(Killed):
        work()
    assert len(values(client, "plan")) == 3
    real = jobs.now
    monkeypatch.setattr(jobs, "now", lambda: real() + jobs.DB.lease_ms + 1)
    work()
    assert same(mirror)
    assert (list(keys(client)), values(client, "plan")) == (["city"], [])


def test_what_is_set_meanwhile_goes_too(client, mirror, work, monkeypatch):
    delete(client, fill(client))
    write, written = chunks._write, list[int]()

    def meanwhile(*arguments):
        result = write(*arguments)
        written.append(1)
        return result

    def choose(site, job, action, choose=field_deletions.choose_or_end):
        if len(written) == 3:
            client.create("p0@example.com", fields={"plan": "pro"})
            client.create("new@example.com", fields={"plan": "new"})
        return choose(site, job, action)

    monkeypatch.setattr(chunks, "_write", meanwhile)
    monkeypatch.setattr(field_deletions, "choose_or_end", choose)
    work()
    assert same(mirror)
    assert (list(keys(client)), values(client, "plan")) == (["city"], [])
    client.create("p0@example.com", fields={"plan": "anew"})
    assert values(client, "plan") == ["anew"]


def test_one_in_use_is_refused_with_who_uses_it(client, work):
    field_id = fill(client)
    rules = {"not": {"field": "plan", "is": "x"}}
    client.post("/fetch/segments", {"segment": {"name": "Pros", "rules": rules}})
    report = {"report_type": "Reporting::Reports::VisitorsByFieldReport", "settings": {"field": "plan"}}
    report_id = client.post("/fetch/reports", {"report": {"name": "Plans", **report}}).json["data"]["id"]
    client.post("/fetch/forms", {"form": {"name": "Front", "fields": [{"key": "plan"}]}})
    answer = delete(client, field_id)
    response_assertions.error(answer, 422)
    assert answer.json["code"] == "in_use"
    for name in ("segment Pros", "report Plans", "form Front"):
        assert name in answer.json["error"]
    assert actions.newest(client.site) == []
    client.delete("/fetch/segments/1")
    client.delete(f"/fetch/reports/{report_id}")
    client.call("PATCH", "/fetch/forms/1", {"form": {"fields": []}})
    response_assertions.answer(delete(client, field_id))


def test_asked_for_twice_it_is_done_once(client, work):
    field_id = fill(client)
    first = delete(client, field_id, **{"Idempotency-Key": "a"})
    assert response_assertions.answer(delete(client, field_id)) == first.json
    work()
    assert len(actions.newest(client.site)) == 1
    assert delete(client, field_id, **{"Idempotency-Key": "a"}).json["data"] is None


def test_after_it_failed_it_goes_on(client, work, monkeypatch):
    field_id = fill(client)
    delete(client, field_id)
    with monkeypatch.context() as patched:
        patched.setattr(chunks, "_write", lambda *_: 1 / 0)
        work()
    assert [action.status for action in actions.newest(client.site)] == ["failed"]
    response_assertions.answer(delete(client, field_id))
    work()
    assert [action.status for action in actions.newest(client.site)] == ["finished"]
    assert list(keys(client)) == ["city"]


def test_an_import_that_set_it_is_undone_afterwards(client, mirror, work):
    client.create("p0@example.com", fields={"plan": "old"})
    items = [{"email": f"p{number}@example.com", "fields": {"plan": "pro", "x": "y"}} for number in range(3)]
    import_id = client.post("/batch/subscribers", {"subscribers": items}).json["import_id"]
    site_lane.drain(client.site.id, 30)
    delete(client, id_of(client, "plan"))
    path = f"/batch/imports/{import_id}/undo"
    work()
    assert response_assertions.answer(client.post(path))
    site_lane.drain(client.site.id, 30)
    done = client.get(path).json["data"]["attributes"]
    assert (done["status"], done["removed"], done["kept"]) == ("finished", 2, 1)
    assert same(mirror)
    assert (keys(client), values(client, "plan")) == ({}, [])


def test_an_import_that_waits_makes_it_anew(client, mirror, work):
    field_id = fill(client)
    items = {"subscribers": [{"email": "p0@example.com", "fields": {"plan": "late"}}]}
    items["subscribers"] += [{"email": email} for email in ADDRESSES[100:103]]
    client.post("/batch/subscribers", items)
    delete(client, field_id)
    work()
    site_lane.drain(client.site.id, 30)
    assert same(mirror)
    assert values(client, "plan") == ["late"]


def test_fields_are_those_of_the_site(client, other_client):
    field_id = fill(client)
    response_assertions.error(delete(other_client, field_id), 404)
    assert delete(client, "9999").json["code"] == "field_not_found"
