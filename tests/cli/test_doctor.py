"""`audience doctor`: each fault is found, with advice."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

import app as services
from audience import clock
from audience.access import operators, sites
from audience.access.audit_log import COMMAND_LINE
from audience.changes.changes import change_from_item
from audience.cli.main import audience
from audience.imports import imports
from audience.looks import looks
from audience.operations import site_lane
from audience.subscribers import subscribers
from storage import database
from storage.access import operators as stored_operators
from storage.engines import sqlite
from storage.instance import doctor as stored
from tests.client import FakeProcesses, FakeQueue
from workers.instance_lock import hold_instance_lock


def states(results, check):
    return {each["state"] for each in results[check]}


@pytest.mark.of_sqlite
def test_a_healthy_instance_passes_every_check(doctor, private):
    code, results = doctor()
    assert code == 0
    old = {each["found"].partition(":")[0] for each in results["tables"] if each["state"] == "warn"}
    assert old <= {"validation", "geolocation"}  # those of a release are, in time
    assert {each["state"] for name in results.keys() - {"tables"} for each in results[name]} == {"ok"}
    assert "3.54" in results["sqlite"][0]["found"]
    assert any("DB-IP" in each["found"] for each in results["tables"])
    assert {
        "versions", "sqlite", "redis", "worker", "permissions", "disk", "tables", "dns", "providers",
        "database", "migrations", "files", "clock", "console", "imports", "jobs", "changes",
        "webhooks", "settings", "mail", "confirmations", "proxies", "backups",
    } == results.keys()  # fmt: skip


@pytest.mark.of_sqlite
def test_without_json_it_prints_lines(type_, private):
    result = type_("doctor", "--offline")
    assert result.exit_code == 0
    assert "ok    sqlite       SQLite 3.5" in result.stdout


@pytest.mark.of_sqlite
def test_a_missing_instance_passes_and_is_not_created(tmp_path, settings):
    new = replace(settings, instance=tmp_path / "new")
    result = CliRunner().invoke(audience, ["doctor", "--offline"], obj=services.instance(new))
    assert result.exit_code == 0
    assert "none yet" in result.stdout
    assert not new.instance.exists()


@pytest.mark.of_sqlite
def test_a_faulty_sqlite_fails_unless_the_operator_allows_it(doctor, private, monkeypatch, settings):
    monkeypatch.setattr(sqlite, "FAULTY_VERSIONS", ((3, 7, 0), (99, 0, 0)))
    code, results = doctor()
    assert code == 1
    assert states(results, "sqlite") == {"bad"}
    assert "apsw" in results["sqlite"][0]["advice"]
    assert "database" not in results
    code, results = doctor(settings=replace(settings, allow_faulty_sqlite=True))
    assert code == 0
    assert states(results, "sqlite") == {"warn"}
    assert states(results, "database") == {"ok"}


def failed_import(client):
    items = [(number, {"email": f"p{number}@example.com"}) for number in range(3)]
    accepted = imports.accept(client.site, items, [], FakeQueue(), 0)
    with database.write():
        database.execute(
            "UPDATE imports SET status = 'failed', finished_at = ? WHERE id = ?",
            (clock.now_ms(), accepted.id),
        )
        database.execute("UPDATE jobs SET status = 'failed', attempts = 5 WHERE subject = ?", (accepted.id,))
    return accepted.id


def test_a_failed_import_is_shown_and_can_be_retried(doctor, private, type_, client):
    import_id = failed_import(client)
    code, results = doctor()
    assert code == 0
    assert f"import {import_id} of site {client.site.uuid}" in results["imports"][0]["found"]
    assert f"imports retry {import_id}" in results["imports"][0]["advice"]
    assert results["jobs"][0]["found"] == "failed: 1; 1 of them were given up, the others will be tried again"
    [shown] = json.loads(type_("imports", "failed", "--json").stdout)
    assert (shown["id"], shown["rows"], shown["applied"]) == (import_id, 3, 0)
    assert type_("imports", "retry", str(import_id)).exit_code == 0
    assert not site_lane.drain(client.site.id, 1.0)
    assert client.counts() == (3, 3, 0)
    assert json.loads(type_("imports", "failed", "--json").stdout) == []
    assert "imports failed" in str(type_("imports", "retry", str(import_id)).exception)


@pytest.mark.parametrize(("age", "state"), [(60, "ok"), (61, "warn"), (900, "warn"), (901, "bad")])
def test_imports_that_wait_too_long_are_a_warning_then_a_failure(
    doctor, private, client, monkeypatch, age, state
):
    imports.accept(client.site, [(0, {"email": "a@example.com"})], [], FakeQueue(), 0)
    with database.session():
        [created_at] = database.row("SELECT created_at FROM imports")
    monkeypatch.setattr(clock, "now_ms", lambda: created_at + age * 1000)
    code, results = doctor()
    assert (code, states(results, "imports")) == (int(state == "bad"), {state})
    assert "unfinished imports: 1 (1 rows)" in results["imports"][0]["found"]
    if state != "ok":
        assert states(doctor(processes=FakeProcesses(is_serving=False))[1], "imports") == {"warn"}
        assert "serve" in doctor(processes=FakeProcesses(is_serving=False))[1]["imports"][0]["advice"]


@pytest.mark.parametrize(("age", "state"), [(30.0, "ok"), (31.0, "warn"), (60.0, "warn"), (61.0, "bad")])
def test_a_late_heartbeat_is_a_warning_then_a_failure(doctor, private, age, state):
    assert states(doctor(processes=FakeProcesses(worker=age))[1], "worker") == {state}


def test_wrong_counters_are_found_by_recounting_and_repaired_on_request(doctor, private, client):
    client.create("ann@example.com")
    with database.write():
        database.execute("UPDATE site_counters SET users = 7, unsubscribers = 2")
    assert "counters" not in doctor()[1]
    code, results = doctor("--offline", "--recount")
    assert code == 1
    assert "1 and 0 by counting" in results["counters"][0]["found"]
    assert client.counts() == (7, 5, 2)
    code, results = doctor("--offline", "--recount", "--fix")
    assert code == 0
    assert client.counts() == (1, 1, 0)


def test_wrong_values_domains_and_tags_are_found_by_recounting_and_repaired(doctor, private, client):
    client.create("ann@example.com", fields={"plan": "pro", "age": 5}, tags="vip")
    client.create("bob@example.com", fields={"plan": "free"})
    with database.write():
        database.execute("UPDATE distinct_values SET folded = 'premium' WHERE folded = 'pro'")
        database.execute("DELETE FROM distinct_values WHERE folded = '5'")
        database.execute("UPDATE distinct_values SET folded = 'other.example' WHERE folded = 'example.com'")
        database.execute("UPDATE tags SET bearers = 7")
    code, results = doctor("--offline", "--recount")
    assert code == 1
    assert "2 of 2 subscribers" in results["values"][0]["found"]
    assert [each["state"] for each in results["values"]] == ["bad"] * 3
    code, results = doctor("--offline", "--recount", "--fix")
    assert (code, states(results, "values")) == (0, {"ok"})
    assert doctor("--offline", "--recount")[0] == 0


def test_tags_that_are_compared_alike_are_named(client, doctor, private):
    client.create("ann@example.com", tags="vip,club,other")
    assert states(doctor()[1], "tags") == {"ok"}
    with database.write(client.site.id):
        database.execute("UPDATE tags SET name_key = ' ' || id || ' vip' WHERE name = 'club'")
    code, results = doctor()
    assert (code, states(results, "tags")) == (0, {"warn"})
    assert results["tags"][0]["found"].endswith('characters: 1 "vip" and 2 "club"')


def test_a_running_service_without_worker_or_redis_fails(doctor, private):
    absent = FakeProcesses(redis=False, worker=None)
    code, results = doctor(processes=absent)
    assert code == 1
    assert states(results, "worker") == states(results, "redis") == {"bad"}
    stopped = FakeProcesses(redis=False, worker=9000.0, is_serving=False)
    code, results = doctor(processes=stopped)
    assert code == 0
    assert states(results, "worker") == states(results, "redis") == {"ok"}


def test_secrets_readable_by_others_fail_and_are_repaired_on_request(doctor, private, settings):
    (settings.instance / "pepper").chmod(0o644)
    settings.instance.chmod(0o755)
    code, results = doctor()
    assert code == 1
    assert [each["state"] for each in results["permissions"]] == ["bad", "warn"]
    code, results = doctor("--offline", "--fix")
    assert (code, states(results, "permissions")) == (0, {"ok"})
    assert (settings.instance / "pepper").stat().st_mode & 0o777 == 0o600


def test_a_pepper_elsewhere_that_everybody_can_read_fails(doctor, private, settings, tmp_path):
    pepper = tmp_path / "pepper"
    pepper.write_bytes((settings.instance / "pepper").read_bytes())
    pepper.chmod(0o644)
    code, results = doctor(settings=replace(settings, pepper_file=str(pepper)))
    assert (code, states(results, "permissions")) == (1, {"bad"})


def test_a_clock_set_back_fails(doctor, private, client, monkeypatch):
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now - 3_600_000)
    assert states(doctor()[1], "clock") == {"bad"}


@pytest.mark.of_sqlite
def test_a_damaged_database_fails(doctor, private, settings, client):
    with database.write():
        subscribers.write(
            client.site.id,
            [change_from_item({"email": f"p{n}@example.com"}, clock.now_ms()) for n in range(500)],
            subscribers.accept_now(client.site.id),
        )
    with database.session():
        assert database.truncate_log()
    database.close()
    file = settings.instance / "audience.db"
    octets = bytearray(file.read_bytes())
    octets[8 * 4096 :] = bytes(len(octets) - 8 * 4096)
    file.write_bytes(octets)
    code, results = doctor()
    assert code == 1
    assert "damaged" in results["database"][0]["found"]


@pytest.mark.of_sqlite
def test_a_file_that_is_not_a_database_fails(doctor, private, settings):
    database.close()
    (settings.instance / "audience.db").write_bytes(b"nonsense" * 4096)
    code, results = doctor()
    assert code == 1
    assert states(results, "database") == {"bad"}
    assert "restore a backup" in results["database"][0]["found"]


@pytest.mark.of_sqlite
def test_pending_and_unknown_migrations_are_found(doctor, private):
    with database.write():
        database.execute("INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2030-01-01')")
    code, results = doctor()
    assert (code, states(results, "migrations")) == (1, {"bad"})
    assert "imports" not in results
    with database.write():
        database.execute("DELETE FROM schema_migration WHERE name <> '0001_first'")
        database.execute("UPDATE schema_migration SET name = '0036_compared_tags'")
    code, results = doctor()
    assert (code, states(results, "migrations")) == (0, {"warn"})


@pytest.mark.of_sqlite
def test_pragmas_that_deviate_are_found(app):
    with database.session():
        assert stored.deviations() == {}
        database.execute("PRAGMA synchronous = normal")
        assert stored.deviations() == {"synchronous": "normal"}
        database.execute("PRAGMA synchronous = full")


@pytest.mark.parametrize(("public_url", "own", "state", "said"), [
    ("https://people.example", "", "ok", "where the console answers, too"),
    ("https://people.example", "https://mail.example", "ok", "begin with https://mail.example"),
    ("http://people.example", "", "warn", "begin with http://people.example"),
    ("https://people.example", "http://mail.example", "warn", "begin with http://mail.example"),
])  # fmt: skip
def test_where_links_begin_is_said_and_plain_http_warned_of(doctor, settings, public_url, own, state, said):
    look = dict.fromkeys(("name", "home", "imprint", "privacy", "language", "accent"), "") | {"base_url": own}
    looks.change(sites.create("Example"), look, b"", False, COMMAND_LINE)
    [found] = doctor(settings=replace(settings, public_url=public_url))[1]["links"]
    assert (found["state"], said in found["found"]) == (state, True)
    assert ("Gmail" in (found.get("advice") or "")) == (state == "warn")


def test_links_begin_where_the_service_listens(doctor, settings):
    sites.create("Example")
    with hold_instance_lock(settings.instance, replace(settings, port=8123)):
        [found] = doctor()[1]["links"]
    assert found["found"].endswith("begin with http://127.0.0.1:8123")


def test_who_lacks_the_two_factor_sign_in_that_is_required_is_named(doctor, settings):
    for name in ("ann", "bob", "cid"):
        operators.add(f"{name}@example.com", True, {}, COMMAND_LINE)
    with database.write(database.SHARED):
        stored_operators.set_two_factor(operators.get("bob@example.com"), "nonce", 1, "[]")
    assert states(doctor()[1], "console") == {"ok"}
    _, results = doctor(settings=replace(settings, require_two_factor=True))
    assert states(results, "console") == {"warn", "ok"}
    assert results["console"][0]["found"] == (
        "two-factor sign-in is required, and not set up by ann@example.com, cid@example.com"
    )
    assert "audience operator remove EMAIL" in results["console"][0]["advice"]


def test_a_console_that_browsers_cannot_reach_or_nobody_administers(doctor, settings):
    _, results = doctor(settings=replace(settings, public_url="http://people.example"))
    assert states(results, "console") == {"warn", "ok"}
    assert "https" in results["console"][0]["advice"].lower()
    operators.add("ann@example.com", False, {}, COMMAND_LINE)
    _, results = doctor()
    assert states(results, "console") == {"warn"}
