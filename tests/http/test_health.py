"""/healthz, /readyz and /metrics: their contents, and access to them."""

import shutil
from types import SimpleNamespace
from typing import Any

import pytest

from app import create_app
from audience import clock
from audience.clock import MINUTE_MS
from audience.config import Settings
from audience.operations import health
from audience.privacy import pepper
from audience.protocols import DnsHealth
from audience.sign_ups import link_requests, sign_ups
from audience.webhooks import webhooks
from storage import database
from storage.sign_ups import counts
from tests.answers.zones import Zones
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, open_client
from tests.sign_up_steps import ask, make_form
from tests.webhook_steps import WEBHOOK

FOREIGN = {"REMOTE_ADDR": "192.0.2.7"}
TOKEN = "a token of some length"


@pytest.fixture
def opened(tmp_path, served_routes, migrated):
    """Opens a client of an instance with other settings."""

    def open_with(processes=None, migrate=True, resolver=None, **changes):
        settings = Settings(instance=tmp_path, **changes)
        processes = processes or FakeProcesses()
        if migrate and not (tmp_path / migrated.name).exists():
            shutil.copy(migrated, tmp_path)
        app = create_app(
            settings, FakeQueue(), FakeLimiter(), processes, resolver=resolver, routes=served_routes
        )
        if migrate:
            database.migrate()
        return app.test_client()

    yield open_with
    database.close()


READY = {"database", "migrations", "files", "redis", "worker", "imports", "disk"}


def checks(client):
    """The failed checks of /readyz, with their messages."""
    answer = client.get("/readyz")
    failing = {name: text for name, text in answer.json["checks"].items() if text != "ok"}
    assert answer.json["checks"].keys() == READY
    assert answer.status_code == (503 if failing else 200)
    assert ("error" in answer.json) == bool(failing)
    return failing


def state(client, check):
    """ok, warn or bad: the outcome of one check of /readyz, while all others are ok."""
    answer = client.get("/readyz")
    failing, warnings = checks(client), answer.json.get("warnings", [])
    assert list(failing) in ([], [check])
    assert ("warnings" in answer.json) == bool(warnings)
    assert len(failing) + len(warnings) <= 1
    return "bad" if failing else "warn" if warnings else "ok"


def test_a_log_that_a_read_keeps_is_a_warning(opened, monkeypatch):
    client = open_client(opened())
    assert state(client.http, "database") == "ok"
    monkeypatch.setattr(health, "MAX_LOG_BYTES", 0)
    client.create("ann@example.com")
    assert state(client.http, "database") == "warn"
    assert "in the write-ahead log (WAL)" in client.http.get("/readyz").text


def import_aged(client, monkeypatch):
    """Queues an import; returns a function that sets its age in seconds."""
    items = [{"email": f"{each}@example.com"} for each in "ab"]
    open_client(client).post("/batch/subscribers", {"subscribers": items})
    with database.session():
        [created_at] = database.row("SELECT created_at FROM imports")
    return lambda seconds: monkeypatch.setattr(clock, "now_ms", lambda: created_at + round(seconds * 1000))


def test_healthz_answers_without_a_database(opened):
    answer = opened(migrate=False).get("/healthz")
    assert (answer.status_code, answer.json) == (200, {"status": "ok"})


def test_a_healthy_service_is_ready(opened):
    assert checks(opened()) == {}


@pytest.mark.parametrize(("age", "expected"), [
    (30.0, "ok"), (30.1, "warn"), (60.0, "warn"), (60.1, "bad"), (9000.0, "bad"), (None, "bad"),
])  # fmt: skip
def test_a_heartbeat_is_a_warning_then_a_failure(opened, age, expected):
    assert state(opened(FakeProcesses(worker=age, is_serving=False)), "worker") == expected


def test_an_absent_redis_is_a_failure(opened):
    assert state(opened(FakeProcesses(redis=False, is_serving=False)), "redis") == "bad"


def test_a_redis_that_may_evict_jobs_is_a_warning(opened):
    client = opened(FakeProcesses(eviction_policy="allkeys-lru"))
    assert state(client, "redis") == "warn"
    assert "allkeys-lru" in client.get("/readyz").json["warnings"][0]


@pytest.mark.parametrize(("settings", "age", "expected"), [
    ({}, 60.0, "ok"), ({}, 60.1, "warn"), ({}, 900.0, "warn"), ({}, 900.1, "bad"),
    ({"ready_import_age": 60.0}, 4.0, "ok"), ({"ready_import_age": 60.0}, 4.1, "warn"),
    ({"ready_import_age": 60.0}, 60.0, "warn"), ({"ready_import_age": 60.0}, 60.1, "bad"),
])  # fmt: skip
def test_an_old_import_is_a_warning_then_a_failure(opened, monkeypatch, settings, age, expected):
    client = opened(**settings)
    import_aged(client, monkeypatch)(age)
    assert state(client, "imports") == expected


@pytest.mark.parametrize(("settings", "free", "expected"), [
    ({}, 2**30, "ok"), ({}, 2**30 - 1, "warn"), ({}, 2**28, "warn"), ({}, 2**28 - 1, "bad"),
    ({"ready_disk_bytes": 2**29}, 2**31, "ok"), ({"ready_disk_bytes": 2**29}, 2**31 - 1, "warn"),
    ({"ready_disk_bytes": 2**29}, 2**29, "warn"), ({"ready_disk_bytes": 2**29}, 2**29 - 1, "bad"),
])  # fmt: skip
def test_a_filling_disk_is_a_warning_then_a_failure(opened, monkeypatch, settings, free, expected):
    client = opened(**settings)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    assert state(client, "disk") == expected


def test_warnings_are_sentences_and_the_status_stays_200(opened, monkeypatch):
    client = opened(FakeProcesses(worker=45.0))
    import_aged(client, monkeypatch)(100)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["status"]) == (200, "ok")
    assert set(answer.json["checks"].values()) == {"ok"}
    heartbeat, oldest = answer.json["warnings"]
    assert heartbeat == "No heartbeat from any import worker for 45 s."
    assert oldest == "The oldest queued import is 100 s old."


def test_anyone_may_read_the_outcome_and_no_internals(opened):
    answer = opened(FakeProcesses(redis=False)).get("/readyz")
    assert list(answer.json["checks"]) == [
        "database", "migrations", "files", "redis", "worker", "imports", "disk",
    ]  # fmt: skip
    assert answer.json["checks"]["redis"] == "Redis does not answer."


def test_a_warning_is_shown_beside_a_failure(opened):
    answer = opened(FakeProcesses(worker=45.0, redis=False)).get("/readyz")
    assert answer.status_code == 503
    assert [name for name, text in answer.json["checks"].items() if text != "ok"] == ["redis"]
    assert len(answer.json["warnings"]) == 1


def warnings(client):
    """Of a service that is ready."""
    assert checks(client) == {}
    return client.get("/readyz").json.get("warnings", [])


@pytest.mark.parametrize("trouble", [DnsHealth.DENYING, DnsHealth.CUT_OFF])
def test_dns_servers_in_trouble_are_a_warning_until_they_work(opened, trouble):
    resolver = Zones()
    client = opened(resolver=resolver)
    resolver.state = trouble
    assert warnings(client) == []  # no answer has needed to know
    api = open_client(client, "utility")
    validated: Any = api.post("/experimental/validation", {"email": "ann@some-firm.org"}).json
    assert (validated["valid"], validated["reasons"]) == (True, ["dns_unavailable"])
    [warning] = warnings(client)
    assert warning.startswith("The DNS servers ")
    resolver.state = DnsHealth.WORKS
    assert warnings(client) == []


def test_a_blacklist_zone_that_fails_its_test_is_a_warning(opened):
    lapsed = "bl.nordspam.com"
    everything = {f"{name}.{lapsed} A": ["127.0.0.2"] for name in ("2.0.0.127", "1.0.0.127", "4.4.8.8")}
    client = opened(resolver=Zones(everything))
    assert warnings(client) == []
    query = {"ip": "8.8.4.4"}
    entry: Any = open_client(client, "utility").get("/experimental/blacklist", query=query).json
    assert entry["status"]["nordspam"] == "unknown"
    assert not any(entry["results"].values())
    [warning] = [text for text in warnings(client) if lapsed in text]
    zone = "The blacklist zone bl.nordspam.com (nordspam, ip)"
    assert warning == f"{zone} lists an entry that it must not list: 127.0.0.2."


@pytest.mark.parametrize(("paused", "expected"), [("", "ok"), ("operator", "ok"), ("failing", "warn")])
def test_a_webhook_that_is_paused_by_itself_is_a_warning(opened, paused, expected):
    client = opened()
    site = open_client(client).site
    for _ in range(2):
        webhooks.create(site, WEBHOOK)
    with database.write(site.id):
        database.execute("UPDATE webhooks SET paused = ?", (paused,))
    assert state(client, "webhooks") == expected
    found = client.get("/readyz").json.get("warnings", [])
    assert found == ["2 webhooks are paused: the receiver has failed for three days."] * (expected == "warn")
    assert f"audience_webhooks_paused {2 * (expected == 'warn')}\n" in client.get("/metrics").text


@pytest.mark.parametrize(("minutes", "expected"), [(9, "ok"), (11, "warn")])
def test_a_confirmation_that_waits_is_a_warning(opened, monkeypatch, minutes, expected):
    client = opened()
    site = open_client(client).site
    ask(site, make_form(site))
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + minutes * MINUTE_MS + 1)
    assert state(client, "confirmations") == expected
    sentence = "A confirmation has waited to be sent for 11 minutes."
    assert client.get("/readyz").json.get("warnings", []) == [sentence] * (expected == "warn")
    assert f"audience_confirmation_oldest_waiting_seconds {60 * minutes}." in client.get("/metrics").text
    monkeypatch.undo()
    with database.write(site.id):
        database.execute("DELETE FROM jobs WHERE site_id = ? AND kind = 'confirmation'", (site.id,))
    assert "audience_confirmation_oldest_waiting_seconds 0.0\n" in client.get("/metrics").text


def test_links_that_wait_are_a_warning(opened, monkeypatch):
    client = opened()
    site = open_client(client).site
    link_requests.accept(site, "zoe@example.com", "en", "https://people.example")
    assert state(client, "confirmations") == "ok"
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + 11 * MINUTE_MS)
    sentence = "Requested links have waited to be sent for 11 minutes."
    assert client.get("/readyz").json["warnings"] == [sentence]


def test_forms_through_a_proxy_that_is_not_named_are_a_warning(opened, monkeypatch):
    client = opened()
    site = open_client(client).site
    with database.write(site.id):
        counts.add(site.id, 1, sign_ups.PROXIED, clock.now_ms())
    assert state(client, "proxies") == "warn"
    [warning] = client.get("/readyz").json["warnings"]
    assert warning.startswith("Over 20 sign-ups in an hour came through an unknown proxy")
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + 2 * 60 * MINUTE_MS)
    assert state(client, "proxies") == "ok"


def test_pending_migrations_are_reported(opened):
    assert "audience migrate" in checks(opened(migrate=False))["migrations"]


def test_an_unavailable_database_is_reported(opened, tmp_path):
    pepper.open(tmp_path / pepper.FILE)
    (tmp_path / "audience.db").mkdir()
    assert checks(opened(migrate=False))["database"] == "The database does not answer."


def test_a_full_disk_is_reported(opened):
    assert list(checks(opened(ready_disk_bytes=2**50))) == ["disk"]


def test_an_import_that_waits_too_long_is_reported_until_it_is_claimed(opened, monkeypatch):
    http = opened(ready_import_age=60)
    set_age = import_aged(http, monkeypatch)
    assert checks(http) == {}
    set_age(61)
    assert list(checks(http)) == ["imports"]
    with database.write():
        database.execute("UPDATE imports SET status = 'running'")
    assert checks(http) == {}


def test_the_backlog_is_on_the_metrics_page(opened):
    client = opened()
    open_client(client).post(
        "/batch/subscribers", {"subscribers": [{"email": f"{each}@example.com"} for each in "abc"]}
    )
    page = client.get("/metrics").text
    assert "audience_imports_waiting 1\n" in page
    assert "audience_import_rows_waiting 3\n" in page
    assert "audience_worker_age_seconds 0.5\n" in page
    assert "audience_change_log_bytes " in page
    assert "audience_change_log_days 0." in page


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_metrics_are_served_to_this_machine(opened, peer):
    assert opened().get("/metrics", environ_base={"REMOTE_ADDR": peer}).status_code == 200


@pytest.mark.parametrize("peer", ["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::1", "", "localhost"])
@pytest.mark.parametrize("headers", [{}, {"X-Forwarded-For": "127.0.0.1"}, {"Authorization": "Bearer "}])
def test_metrics_are_refused_to_other_machines(opened, peer, headers):
    client = opened(trusted_proxies=("0.0.0.0/0", "::/0"))
    answer = client.get("/metrics", environ_base={"REMOTE_ADDR": peer}, headers=headers)
    assert answer.status_code == 403
    assert answer.json["error"].startswith("Forbidden")


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"])
def test_a_request_through_a_local_proxy_is_not_local(opened, header):
    assert opened().get("/metrics", headers={header: "192.0.2.7"}).status_code == 403


def test_with_a_token_metrics_are_served_to_any_machine(opened):
    client = opened(metrics_token=TOKEN)
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert client.get("/metrics", headers=right, environ_base=FOREIGN).status_code == 200


@pytest.mark.parametrize(
    "authorization", [None, "Bearer", "Bearer ", "Bearer x", f"Bearer {TOKEN}x", "Bearer ä", "Basic eDp5"]
)
def test_with_a_token_configured_metrics_are_refused_without_it(opened, authorization):
    headers = {"Authorization": authorization} if authorization else {}
    assert opened(metrics_token=TOKEN).get("/metrics", headers=headers).status_code == 403
