"""Taking an import back over HTTP."""

from audience import clock
from audience.operations import site_lane

DONE = {"removed": 1, "restored": 1, "kept": 0, "unsubscribed_kept": 0, "unsubscribed_again": 0}


def put(client, *people):
    answer = client.post(
        "/batch/subscribers", {"subscribers": [{"email": each, "plan": "x"} for each in people]}
    )
    site_lane.drain(client.site.id, 30)
    return f"/batch/imports/{answer.json['import_id']}/undo"


def attributes(answer):
    assert answer.json["data"]["type"] == "undos"
    return answer.json["data"]["attributes"]


def test_an_import_is_counted_taken_back_and_followed(client):
    client.create("ann@example.com")
    path = put(client, "ann@example.com", "bob@example.com")
    counted = client.post(path, query={"dry_run": "1"})
    assert counted.json["data"]["id"] is None
    assert attributes(counted).items() >= (DONE | {"status": None, "total": 2, "processed": 0}).items()
    assert client.get(path).status_code == 404
    first = client.post(path)
    assert attributes(first).items() >= {"status": "queued", "total": 2, "processed": 0}.items()
    site_lane.drain(client.site.id, 30)
    done = client.get(path)
    assert attributes(done).items() >= (DONE | {"status": "finished", "total": 2, "processed": 2}).items()
    assert attributes(done)["finished_at"]
    assert client.post(path).json == done.json
    assert done.json["data"]["id"] == first.json["data"]["id"]
    assert client.find("bob@example.com") is None
    assert client.find("ann@example.com")["attributes"]["fields"] == {}


def test_a_dry_run_in_the_body_and_a_switch_that_is_none(client):
    path = put(client, "ann@example.com")
    assert client.post(path, {"dry_run": "1"}).json["data"]["id"] is None
    assert client.post(path, query={"dry_run": "maybe"}).status_code == 422


def test_what_cannot_be_taken_back(client, monkeypatch):
    path = put(client, "ann@example.com")
    assert client.post("/batch/imports/9/undo").status_code == 404
    assert client.get("/batch/imports/9/undo").status_code == 404
    later = clock.now_ms() + 31 * 86_400_000
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    for query in ({}, {"dry_run": "1"}):
        answer = client.post(path, query=query)
        assert answer.status_code == 422
        assert "record of changes" in answer.text
