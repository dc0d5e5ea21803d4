"""Health: what is asked without keys, and what is said to whom."""

import pytest

from app import create_app
from audience import health
from audience.config import Settings
from storage import database
from tests.door import Fit, Patient, Rung, open_door

FOREIGN = {"REMOTE_ADDR": "192.0.2.7"}
TOKEN = "a token of some length"


@pytest.fixture
def opened(tmp_path):
    """A client of an instance with settings of its own."""

    def open_with(vitals=None, migrate=True, **changes):
        app = create_app(Settings(instance=tmp_path, **changes), Rung(), Patient(), vitals or Fit())
        if migrate:
            database.migrate()
        return app.test_client()

    yield open_with
    database.close()


def checks(client):
    answer = client.get("/readyz")
    wrong = {name: said for name, said in answer.json["checks"].items() if said != "ok"}
    assert answer.json["checks"].keys() == health.CHECKS.keys()
    assert answer.status_code == (503 if wrong else 200)
    assert ("error" in answer.json) == bool(wrong)
    return wrong


def test_a_process_that_answers_is_alive(opened):
    answer = opened(migrate=False).get("/healthz")
    assert (answer.status_code, answer.json) == (200, {"status": "ok"})


def test_all_is_well(opened):
    assert checks(opened()) == {}


@pytest.mark.parametrize(
    ("vitals", "named"),
    [(Fit(redis=False), "redis"), (Fit(worker=None), "worker"), (Fit(worker=31.0), "worker")],
)
def test_what_is_away_is_named(opened, vitals, named):
    assert list(checks(opened(vitals))) == [named]


def test_pending_migrations_are_named(opened):
    assert "audience migrate" in checks(opened(migrate=False))["migrations"]


def test_a_database_that_does_not_answer_is_named(opened, tmp_path):
    (tmp_path / "audience.db").mkdir()
    assert checks(opened(migrate=False))["database"] == health.NO_ANSWER


def test_a_full_disk_is_named(opened):
    assert list(checks(opened(ready_disk_bytes=2**50))) == ["disk"]


def test_an_import_that_waits_too_long_is_named(opened):
    client = opened(ready_import_age=60)
    door = open_door(client)
    door.post("/batch/subscribers", {"subscribers": [{"email": f"{each}@example.com"} for each in "ab"]})
    assert checks(client) == {}
    with database.write():
        database.execute("UPDATE imports SET created_at = created_at - 61000")
    assert list(checks(client)) == ["imports"]
    with database.write():
        database.execute("UPDATE imports SET status = 'running'")
    assert checks(client) == {}


def test_what_waits_is_on_the_metrics_page(opened):
    client = opened()
    open_door(client).post(
        "/batch/subscribers", {"subscribers": [{"email": f"{each}@example.com"} for each in "abc"]}
    )
    page = client.get("/metrics").text
    assert "audience_imports_waiting 1\n" in page
    assert "audience_import_rows_waiting 3\n" in page
    assert "audience_worker_age_seconds 0.5\n" in page


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_metrics_are_for_this_machine(opened, peer):
    assert opened().get("/metrics", environ_base={"REMOTE_ADDR": peer}).status_code == 200


@pytest.mark.parametrize("peer", ["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::1", "", "localhost"])
@pytest.mark.parametrize("headers", [{}, {"X-Forwarded-For": "127.0.0.1"}, {"Authorization": "Bearer "}])
def test_metrics_are_not_for_others(opened, peer, headers):
    client = opened(trusted_proxies=("0.0.0.0/0", "::/0"))
    answer = client.get("/metrics", environ_base={"REMOTE_ADDR": peer}, headers=headers)
    assert answer.status_code == 403
    assert answer.json["error"].startswith("Forbidden")


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"])
def test_a_proxy_on_this_machine_is_not_this_machine(opened, header):
    assert opened().get("/metrics", headers={header: "192.0.2.7"}).status_code == 403


def test_a_token_opens_metrics_from_anywhere(opened):
    client = opened(metrics_token=TOKEN)
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert client.get("/metrics", headers=right, environ_base=FOREIGN).status_code == 200


@pytest.mark.parametrize(
    "authorization", [None, "Bearer", "Bearer ", "Bearer x", f"Bearer {TOKEN}x", "Bearer ä", "Basic eDp5"]
)
def test_with_a_token_nobody_gets_in_without_it(opened, authorization):
    headers = {"Authorization": authorization} if authorization else {}
    assert opened(metrics_token=TOKEN).get("/metrics", headers=headers).status_code == 403
