"""`audience doctor`: each thing that can be wrong is found, with what to do about it."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import app as wiring
from audience import clock, imports, subscribers
from audience.checks import tables
from audience.checks.dns import DnsResolver
from audience.cli import audience
from audience.cli.instance import Instance
from audience.ports import DnsAnswer, DnsStatus, QueueHealth
from storage import database
from storage import doctor as stored
from tests.door import Rung

DATA = Path(wiring.__file__).parent / "audience" / "data"


class Fake:
    """The processes of an instance, as a test would have them."""

    def __init__(self, serving=True, age=0.5, queue=None):
        self._serving, self._age = serving, age
        self._queue = queue or QueueHealth("Valkey 9.1", "append-only file, last write ok", "noeviction")

    def stopped(self):
        return contextlib.nullcontext()

    def serving(self):
        return self._serving

    def worker_age(self):
        return self._age

    def queue(self):
        return self._queue


@pytest.fixture
def doctor(app, settings):
    """Examines the instance of `app`; exit code and findings by check."""

    def run(*words, processes=None, settings=settings):
        real = wiring.instance(settings)
        instance = Instance(settings, real.open, real.connect, processes or Fake())
        result = CliRunner().invoke(
            audience, ["doctor", "--json", *(words or ("--offline",))], obj=instance, catch_exceptions=False
        )
        found = {}
        for each in json.loads(result.stdout)["findings"]:
            found.setdefault(each["check"], []).append(each)
        return result.exit_code, found

    return run


def states(found, check):
    return {each["state"] for each in found[check]}


@pytest.fixture
def private(settings, app):
    settings.instance.chmod(0o700)
    for file in settings.instance.iterdir():
        file.chmod(0o600)


def test_a_healthy_instance_is_all_well(doctor, private):
    code, found = doctor()
    assert code == 0
    assert {each["state"] for group in found.values() for each in group} == {"ok"}
    assert "3.53" in found["sqlite"][0]["found"]
    assert any("DB-IP" in each["found"] for each in found["tables"])
    assert {
        "versions", "sqlite", "redis", "worker", "permissions", "disk", "tables", "providers",
        "database", "migrations", "clock", "imports",
    } == found.keys()  # fmt: skip


def test_people_read_lines(type_, private):
    result = type_("doctor", "--offline")
    assert result.exit_code == 0
    assert "ok    sqlite       SQLite 3.5" in result.stdout


def test_an_instance_that_is_not_there_yet_is_no_trouble_and_stays_so(tmp_path, settings):
    new = replace(settings, instance=tmp_path / "new")
    result = CliRunner().invoke(audience, ["doctor", "--offline"], obj=wiring.instance(new))
    assert result.exit_code == 0
    assert "none yet" in result.stdout
    assert not new.instance.exists()


def test_a_faulty_sqlite_is_bad_unless_the_operator_insists(doctor, private, monkeypatch, settings):
    monkeypatch.setattr(database, "FAULTY_SQLITE", ((3, 7, 0), (99, 0, 0)))
    code, found = doctor()
    assert code == 1
    assert states(found, "sqlite") == {"bad"}
    assert "pysqlite3" in found["sqlite"][0]["advice"]
    assert "database" not in found
    code, found = doctor(settings=replace(settings, allow_faulty_sqlite=True))
    assert code == 0
    assert states(found, "sqlite") == {"warn"}
    assert states(found, "database") == {"ok"}


def failed_import(door):
    items = [(number, {"email": f"p{number}@example.com"}) for number in range(3)]
    accepted = imports.accept(door.site, items, [], Rung(), 0)
    with database.write():
        database.execute(
            "UPDATE imports SET status = 'failed', attempts = 6, finished_at = ? WHERE id = ?",
            (clock.now(), accepted.id),
        )
    return accepted.id


def test_a_failed_import_is_shown_and_can_be_tried_again(doctor, private, type_, door):
    import_id = failed_import(door)
    code, found = doctor()
    assert code == 0
    assert f"import {import_id} of site {door.site.uuid}" in found["imports"][0]["found"]
    assert f"imports retry {import_id}" in found["imports"][0]["advice"]
    [shown] = json.loads(type_("imports", "failed", "--json").stdout)
    assert (shown["id"], shown["rows"], shown["applied"]) == (import_id, 3, 0)
    assert type_("imports", "retry", str(import_id)).exit_code == 0
    assert not imports.drain(door.site.id, 1.0)
    assert door.counts() == (3, 3, 0)
    assert json.loads(type_("imports", "failed", "--json").stdout) == []
    assert "doctor" in str(type_("imports", "retry", str(import_id)).exception)


def test_imports_that_wait_too_long_are_a_warning(doctor, private, door, monkeypatch):
    imports.accept(door.site, [(0, {"email": "a@example.com"})], [], Rung(), 0)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + 61_000)
    _, found = doctor()
    assert states(found, "imports") == {"warn"}
    assert "1 wait" in found["imports"][0]["found"]
    assert "serve" in doctor(processes=Fake(serving=False))[1]["imports"][0]["advice"]


def test_counts_that_are_wrong_are_found_by_recounting_and_mended_when_asked(doctor, private, door):
    door.create("ann@example.com")
    with database.write():
        database.execute("UPDATE sites SET user_count = 7, unsubscriber_count = 2")
    assert "counters" not in doctor()[1]
    code, found = doctor("--offline", "--recount")
    assert code == 1
    assert "1 and 0 are there" in found["counters"][0]["found"]
    assert door.counts() == (7, 5, 2)
    code, found = doctor("--offline", "--recount", "--fix")
    assert code == 0
    assert door.counts() == (1, 1, 0)


def test_a_running_service_without_worker_or_redis_is_bad(doctor, private):
    away = Fake(age=None, queue=QueueHealth(trouble="ConnectionError"))
    code, found = doctor(processes=away)
    assert code == 1
    assert states(found, "worker") == states(found, "redis") == {"bad"}
    stopped = Fake(serving=False, age=9000.0, queue=QueueHealth(trouble="ConnectionError"))
    code, found = doctor(processes=stopped)
    assert code == 0
    assert states(found, "worker") == states(found, "redis") == {"ok"}


def test_secrets_that_others_can_read_are_bad_and_closed_when_asked(doctor, private, settings):
    (settings.instance / "pepper").chmod(0o644)
    settings.instance.chmod(0o755)
    code, found = doctor()
    assert code == 1
    assert [each["state"] for each in found["permissions"]] == ["bad", "warn"]
    code, found = doctor("--offline", "--fix")
    assert (code, states(found, "permissions")) == (0, {"ok"})
    assert (settings.instance / "pepper").stat().st_mode & 0o777 == 0o600


def test_a_clock_that_went_back_is_bad(doctor, private, door, monkeypatch):
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now - 3_600_000)
    assert states(doctor()[1], "clock") == {"bad"}


def test_a_damaged_database_is_bad(doctor, private, settings, door):
    with database.write():
        subscribers.write(
            door.site.id,
            [subscribers.change({"email": f"p{n}@example.com"}, clock.now()) for n in range(500)],
        )
    with database.session():
        assert database.truncate_log()
    database.close()
    file = settings.instance / "audience.db"
    octets = bytearray(file.read_bytes())
    octets[8 * 4096 :] = bytes(len(octets) - 8 * 4096)
    file.write_bytes(octets)
    code, found = doctor()
    assert code == 1
    assert "damaged" in found["database"][0]["found"]


def test_what_is_no_database_is_bad(doctor, private, settings):
    database.close()
    (settings.instance / "audience.db").write_bytes(b"nonsense" * 4096)
    code, found = doctor()
    assert code == 1
    assert states(found, "database") == {"bad"}
    assert "restore a backup" in found["database"][0]["found"]


def test_pending_and_unknown_migrations_are_found(doctor, private):
    with database.write():
        database.execute("INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2030-01-01')")
    code, found = doctor()
    assert (code, states(found, "migrations")) == (1, {"bad"})
    assert "imports" not in found
    with database.write():
        database.execute("DELETE FROM schema_migration WHERE name IN ('9999_later', '0004_address_lists')")
    code, found = doctor()
    assert (code, states(found, "migrations")) == (0, {"warn"})


def test_pragmas_that_deviate_are_found(app):
    with database.session():
        assert stored.deviations() == {}
        database.execute("PRAGMA synchronous = normal")
        assert stored.deviations() == {"synchronous": "normal"}
        database.execute("PRAGMA synchronous = full")


def test_old_tables_are_a_warning_with_what_to_do(doctor, private, monkeypatch):
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + 1000 * 86_400_000)
    found = doctor()[1]["tables"]
    assert {each["found"].partition(":")[0] for each in found if each["state"] == "warn"} == {
        "blacklist",
        "email",
        "geo",
    }


def test_every_folder_of_tables_has_a_date():
    folders = {path.name for path in DATA.iterdir() if path.is_dir()}
    assert {table.folder for table in tables.bundled()} == folders - {"__pycache__"}


def test_blacklists_that_do_not_answer_are_a_warning(doctor, private, monkeypatch):
    monkeypatch.setattr(
        DnsResolver,
        "ask",
        lambda _, questions, __: [DnsAnswer(DnsStatus.UNAVAILABLE) for _ in questions],
    )
    code, found = doctor("--recount")
    assert code == 0
    assert states(found, "providers") == {"warn"}
    assert "AUDIENCE_DNS_SERVERS" in found["providers"][0]["advice"]
