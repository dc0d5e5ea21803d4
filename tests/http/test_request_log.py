"""Each request and each import is recorded once, without the client's data."""

import logging

import pytest

from audience import jobs, telemetry
from audience.answers.service import TimedResolver
from audience.operations import site_lane
from tests.answers.zones import Zones
from tests.client import basic

CANARY = "canary"


class FakeMetrics(telemetry.NoMetrics):
    def __init__(self):
        self.calls = []

    def count(self, name, amount=1, /, **labels):
        self.calls.append((name, amount, labels))

    observe = count

    def calls_of(self, name):
        """`(amount, labels)` of each call, by metric name."""
        return [(amount, labels) for each, amount, labels in self.calls if each == name]


@pytest.fixture
def metrics():
    fake = FakeMetrics()
    telemetry.open(fake)
    yield fake
    telemetry.open(telemetry.NoMetrics())


@pytest.fixture
def logged(caplog):
    """The fields of the log lines with a certain message."""
    caplog.set_level(logging.INFO, "audience")
    return lambda message: [each.fields for each in caplog.records if each.message == message]


def test_a_request_is_recorded_by_its_template(client, logged, metrics):
    tag = client.post("/fetch/tags", {"tag": {"name": CANARY}}).json["data"]["id"]
    answer = client.delete(f"/fetch/tags/{tag}", query={CANARY: CANARY})
    line = logged("request")[-1]
    assert line.pop("ms") >= 0
    assert line.pop("key_id") > 0
    assert line == {
        "request_id": answer.headers["X-Request-Id"],
        "method": "DELETE",
        "route": "/api/v1/fetch/tags/<number:tag_id>",
        "status": 200,
        "site_id": client.site.id,
    }
    route = {"method": line["method"], "route": line["route"]}
    assert metrics.calls_of("requests")[-1] == (1, {**route, "status": 200})
    seconds, labels = metrics.calls_of("request_seconds")[-1]
    assert (labels, seconds >= 0) == (route, True)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", f"/{CANARY}", 404), (CANARY.upper(), "/fetch/tags", 405), ("PUT", "/fetch/tags", 405)],
)
def test_a_request_without_a_route_is_recorded_without_its_path(
    client, logged, metrics, method, path, status
):
    assert client.call(method, path).status_code == status
    [line] = logged("request")
    assert (line["route"], line["status"]) == (None, status)
    assert CANARY not in str(line).lower()
    _, labels = metrics.calls_of("requests")[0]
    assert (labels["route"], labels["status"]) == ("", status)


def test_a_probe_that_finds_the_process_well_is_counted_but_not_logged(client, logged, metrics):
    assert client.http.get("/healthz").status_code == 200
    assert logged("request") == []
    assert len(metrics.calls_of("requests")) == 1
    client.http.post("/healthz")
    assert [line["status"] for line in logged("request")] == [405]


def test_an_unknown_key_is_not_recorded(client, logged):
    client.http.get("/api/v1/fetch/tags", headers={"Authorization": basic(CANARY, CANARY)})
    [line] = logged("request")
    assert (line["status"], line["key_id"], line["site_id"]) == (401, None, None)
    assert CANARY not in str(line)


def test_an_import_is_recorded_when_it_ends(client, logged, metrics):
    items = [{"email": "a@example.com"}, {"email": "b@example.com"}, {"email": CANARY}]
    import_id = int(client.post("/batch/subscribers", {"subscribers": items}).json["import_id"])
    assert logged("import") == []
    site_lane.drain(client.site.id, 5)
    [line] = logged("import")
    assert line.pop("ms") >= 0
    rows = {"created": 2, "updated": 0, "unchanged": 0, "suppressed": 0, "refused": 1}
    assert line == {"import_id": import_id, "site_id": client.site.id, "status": "finished", **rows}
    assert metrics.calls_of("imports") == [(1, {"status": "finished"})]
    assert metrics.calls_of("import_rows") == [(rows[each], {"outcome": each}) for each in rows]


def test_an_import_written_at_once_is_recorded_once(client, logged, metrics):
    client.post("/batch/subscribers", {"subscribers": [{"email": "a@example.com"}]})
    site_lane.drain(client.site.id, 5)
    assert [line["created"] for line in logged("import")] == [1]
    assert len(metrics.calls_of("imports")) == 1


def test_an_answer_is_recorded_by_its_reasons(client, metrics):
    client.post("/experimental/gender", {"name": "Xqzt"})
    client.post("/experimental/content_moderation", {"content": f"<script>{CANARY}</script>"})
    assert metrics.calls_of("answers") == [
        (1, {"question": "gender"}),
        (1, {"question": "content_moderation"}),
    ]
    first, *others = [labels for _, labels in metrics.calls_of("answer_reasons")]
    assert first == {"question": "gender", "reason": "unknown"}
    assert {"question": "content_moderation", "reason": "script_tag"} in others


def test_dns_queries_are_timed(metrics):
    class Broken(Zones):
        def ask(self, questions, timeout=None):
            if questions:
                raise RuntimeError(CANARY)
            return []

    resolver = TimedResolver(Broken())
    assert resolver.ask([]) == []
    with pytest.raises(RuntimeError):
        resolver.ask([("example.com", "MX")], 1.0)
    rounds = [seconds for seconds, _ in metrics.calls_of("dns_seconds")]
    assert len(rounds) == 2
    assert all(0 <= seconds < 60 for seconds in rounds)


def test_an_abandoned_import_is_recorded_as_failed(client, logged, metrics, monkeypatch):
    def broken(*_):
        raise RuntimeError(CANARY)

    monkeypatch.setattr("audience.subscribers.subscribers.write", broken)
    monkeypatch.setattr(jobs, "RETRY_AFTER_MS", -1)
    client.post("/batch/subscribers", {"subscribers": [{"email": f"{each}@example.com"} for each in "ab"]})
    for _ in range(jobs.MAX_FAILURES + 1):
        site_lane.drain(client.site.id, 5)
    assert [line["status"] for line in logged("import")] == ["failed"]
    assert metrics.calls_of("imports") == [(1, {"status": "failed"})]
