"""The journal: each request and each import is told once, and nothing of what was sent."""

import logging

import pytest

from audience import imports, journal
from audience.judges import Timed
from tests.door import basic

CANARY = "canary"


class Remembers(journal.Unmetered):
    def __init__(self):
        self.requests, self.batches, self.answers, self.rounds = [], [], [], []

    def request(self, method, route, status, seconds):
        self.requests.append((method, route, status))
        assert seconds >= 0

    def batch(self, status, rows):
        self.batches.append((status, rows))

    def answer(self, question, reasons):
        self.answers.append((question, list(reasons)))

    def dns(self, seconds):
        self.rounds.append(seconds)


@pytest.fixture
def meter():
    remembers = Remembers()
    journal.open(remembers)
    yield remembers
    journal.open(journal.Unmetered())


@pytest.fixture
def told(caplog):
    """The fields of the lines told under a message."""
    caplog.set_level(logging.INFO, "audience")
    return lambda message: [each.fields for each in caplog.records if each.message == message]


def test_a_request_is_told_by_its_template(door, told, meter):
    tag = door.post("/fetch/tags", {"tag": {"name": CANARY}}).json["data"]["id"]
    answer = door.delete(f"/fetch/tags/{tag}", query={CANARY: CANARY})
    line = told("request")[-1]
    assert line.pop("ms") >= 0
    assert line.pop("key_id") > 0
    assert line == {
        "request_id": answer.headers["X-Request-Id"],
        "method": "DELETE",
        "route": "/api/v1/fetch/tags/<int(max=9223372036854775807):tag_id>",
        "status": 200,
        "site_id": door.site.id,
    }
    assert meter.requests[-1] == (line["method"], line["route"], 200)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", f"/{CANARY}", 404), (CANARY.upper(), "/fetch/tags", 405), ("PUT", "/fetch/tags", 405)],
)
def test_what_matches_no_route_is_told_without_its_path(door, told, meter, method, path, status):
    assert door.call(method, path).status_code == status
    [line] = told("request")
    assert (line["route"], line["status"]) == (None, status)
    assert CANARY not in str(line).lower()
    assert meter.requests[0][1:] == ("", status)


def test_who_shows_no_good_key_is_not_told(door, told):
    door.client.get("/api/v1/fetch/tags", headers={"Authorization": basic(CANARY, CANARY)})
    [line] = told("request")
    assert (line["status"], line["key_id"], line["site_id"]) == (401, None, None)
    assert CANARY not in str(line)


def test_an_import_is_told_when_it_ends(door, told, meter):
    people = [{"email": "a@example.com"}, {"email": "b@example.com"}, {"email": CANARY}]
    import_id = int(door.post("/batch/subscribers", {"subscribers": people}).json["import_id"])
    assert told("import") == []
    imports.drain(door.site.id, 5)
    [line] = told("import")
    assert line.pop("ms") >= 0
    rows = {"created": 2, "updated": 0, "unchanged": 0, "suppressed": 0, "refused": 1}
    assert line == {"import_id": import_id, "site_id": door.site.id, "status": "finished", **rows}
    assert meter.batches == [("finished", rows)]


def test_an_import_written_at_once_is_told_once(door, told, meter):
    door.post("/batch/subscribers", {"subscribers": [{"email": "a@example.com"}]})
    imports.drain(door.site.id, 5)
    assert [line["created"] for line in told("import")] == [1]
    assert len(meter.batches) == 1


def test_an_answer_is_told_by_its_reasons(door, meter):
    door.post("/experimental/gender", {"name": "Xqzt"})
    door.post("/experimental/content_moderation", {"content": f"<script>{CANARY}</script>"})
    (first, (moderation, reasons)) = meter.answers
    assert first == ("gender", ["unknown"])
    assert moderation == "content_moderation"
    assert "script_tag" in reasons


def test_a_round_of_dns_questions_is_timed(meter):
    class Broken:
        def ask(self, questions, timeout=None):
            if questions:
                raise RuntimeError(CANARY)
            return []

    resolver = Timed(Broken())
    assert resolver.ask([]) == []
    with pytest.raises(RuntimeError):
        resolver.ask([("example.com", "MX")], 1.0)
    assert len(meter.rounds) == 2
    assert all(0 <= seconds < 60 for seconds in meter.rounds)


def test_an_import_given_up_is_told_as_failed(door, told, meter, monkeypatch):
    def broken(*_):
        raise RuntimeError(CANARY)

    monkeypatch.setattr("audience.subscribers.write", broken)
    monkeypatch.setattr(imports, "RETRY_AFTER", -1)
    door.post("/batch/subscribers", {"subscribers": [{"email": f"{each}@example.com"} for each in "ab"]})
    for _ in range(imports.ATTEMPTS + 1):
        imports.drain(door.site.id, 5)
    assert [line["status"] for line in told("import")] == ["failed"]
    assert [status for status, _ in meter.batches] == ["failed"]
