"""Backups of an instance on a PostgreSQL server: a dump by pg_dump of its version, and the pepper."""

import json
import subprocess
import tarfile
from dataclasses import replace

import psycopg
import pytest

from audience.access.audit_log import COMMAND_LINE
from audience.config import Settings
from audience.erasures import log as erasure_log
from audience.operations import backups, kept_backups, restore_carryover
from storage import database
from storage.engines import postgresql_dumps
from storage.erasures.log import ERASED
from storage.errors import Unusable
from tests.cli.restored import reopen, run_on


@pytest.fixture
def on_server(server, tmp_path):
    """The settings of an instance on the server, with a site."""
    url = server.create()
    settings = Settings(instance=tmp_path / "instance", database_url=url)
    assert run_on(settings, "site", "create", "News").exit_code == 0
    yield settings
    database.close()
    server.drop(url)


def test_one_has_a_dump_that_is_restored_into_an_empty_database(on_server, server, tmp_path):
    file = tmp_path / "b.tar"
    made = run_on(on_server, "backup", str(file))
    assert made.exit_code == 0, made.output
    assert f"{file}: a dump" in made.stdout
    assert "a dump, complete" in run_on(on_server, "backup", "check", str(file)).stdout
    with tarfile.open(file) as tar:
        assert tar.getnames() == ["manifest.json", "pepper", "audience.dump"]
        tar.extractall(tmp_path, filter="data")
    url = server.create()
    subprocess.run(["pg_restore", "--no-owner", f"--dbname={url}", tmp_path / "audience.dump"], check=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "pepper").rename(tmp_path / "other" / "pepper")
    listed = run_on(Settings(instance=tmp_path / "other", database_url=url), "site", "list")
    assert "News" in listed.stdout
    database.close()
    server.drop(url)


@pytest.fixture
def new_database(server):
    """The URL of an empty database."""
    url = server.create()
    yield url
    database.close()
    server.drop(url)


ANN, BOB, CID = "ann@example.com", "bob@example.com", "cid@example.com"


@pytest.fixture
def left_since(on_server, tmp_path):
    """A backup, after which Ann was erased, Bob unsubscribed, and a key revoked."""
    file, people = tmp_path / "b.tar", tmp_path / "people.csv"
    people.write_text(f"email\n{ANN}\n{BOB}\n{CID}\n")
    for words in (
        ("import", str(people), "--consent", "subscribed"), ("backup", str(file)),
        ("subscriber", "erase", ANN, "--yes"), ("subscriber", "unsubscribe", BOB),
        ("key", "revoke", key_of(on_server)),
    ):  # fmt: skip
        done = run_on(on_server, *words)
        assert done.exit_code == 0, done.output
    return file


def key_of(settings):
    [key] = json.loads(run_on(settings, "key", "list", "--json").stdout)
    return key["publishable_key"]


def restore(settings, file, *words):
    return run_on(settings, "restore", str(file), "--yes", *words)


def states(settings):
    """Whether each of the three is subscribed; None for whom nobody has."""
    shown = [run_on(settings, "subscriber", "show", email, "--json") for email in (ANN, BOB, CID)]
    found = [json.loads(each.stdout) if not each.exit_code else {} for each in shown]
    return [each["attributes"]["unsubscribed_at"] is None if each else None for each in found]


def test_whoever_left_since_stays_away_by_the_former_database(left_since, on_server, new_database):
    settings = replace(on_server, database_url=new_database)
    done = restore(settings, left_since, "--former", on_server.database_url)
    assert done.exit_code == 0, done.output
    assert "Restored 2 subscribers as of" in done.stdout
    assert "erased again: 1 subscriber." in done.stdout
    assert "now unsubscribed again: 1 subscriber." in done.stdout
    assert "1 keys that were revoked after the backup stay revoked." in done.stdout
    assert states(settings) == [None, False, True]
    again = restore(settings, left_since, "--former", on_server.database_url)
    assert "The database is not empty" in str(again.exception)
    assert states(settings) == [None, False, True]


@pytest.mark.parametrize("own", ["", "secret-of-the-new"])
def test_the_password_of_the_former_database_is_read_from_a_file(
    left_since, on_server, new_database, monkeypatch, tmp_path, own
):
    real = database.open
    opened: dict[str, str | None] = {}

    def open_and_note(url, **options):
        opened.setdefault(url, options["password"])
        real(url, **options)

    monkeypatch.setattr(database, "open", open_and_note)
    files = {name: tmp_path / name for name in ("former", "new")}
    files["former"].write_text("secret\n")
    files["new"].write_text(own)
    settings = replace(
        on_server, database_url=new_database, database_password_file=str(files["new"]) if own else ""
    )
    words = ("--former", on_server.database_url, "--password-file", str(files["former"]))
    done = restore(settings, left_since, *words)
    assert done.exit_code == 0, done.output
    assert opened == {on_server.database_url: "secret", new_database: own or None}


def test_an_interrupted_one_goes_on_and_is_not_used_before(left_since, on_server, new_database, monkeypatch):
    settings = replace(on_server, database_url=new_database)
    with monkeypatch.context() as patched:
        patched.setattr(restore_carryover, "apply", lambda *_: 1 / 0)
        failed = restore(settings, left_since, "--former", on_server.database_url)
        assert isinstance(failed.exception, ZeroDivisionError)
    unused = run_on(settings, "site", "list")
    assert "a restore of this database that began on" in str(unused.exception)
    assert "run `audience restore` again with the same file" in str(unused.exception)
    done = restore(settings, left_since, "--former", on_server.database_url)
    assert done.exit_code == 0, done.output
    assert states(settings) == [None, False, True]


def test_what_the_program_of_a_killed_restore_loads_meanwhile_counts(
    left_since, on_server, new_database, monkeypatch
):
    real = postgresql_dumps.load

    def load_and_fail(*arguments):
        real(*arguments)
        raise Unusable("psql failed: duplicate key value")

    monkeypatch.setattr(postgresql_dumps, "load", load_and_fail)
    settings = replace(on_server, database_url=new_database)
    done = restore(settings, left_since, "--former", on_server.database_url)
    assert done.exit_code == 0, done.exception
    assert states(settings) == [None, False, True]


def test_of_a_lost_database_the_log_that_was_exported_is_repeated(
    left_since, on_server, new_database, tmp_path
):
    other = Settings(instance=tmp_path / "other", database_url=new_database)
    refused = restore(other, left_since)
    assert "put the latest copy of erasures.log back, or use --unsubscribes-lost" in str(refused.exception)
    assert run_on(on_server, "erasures", "export", str(other.instance / "erasures.log")).exit_code == 0
    done = restore(other, left_since)
    assert done.exit_code == 0, done.output
    assert states(other) == [None, False, True]
    exported = run_on(other, "erasures", "export", str(tmp_path / "again.jsonl"))
    assert exported.exit_code == 0
    [erased] = [line for line in erasure_log.read(tmp_path / "again.jsonl") if line.kind == ERASED]
    assert erased in erasure_log.read(other.instance / "erasures.log")


def test_what_does_not_fit_is_refused_and_leaves_the_database_empty(
    left_since, on_server, new_database, server, tmp_path
):
    of_file = Settings(instance=tmp_path / "file")
    assert run_on(of_file, "site", "create", "News").exit_code == 0
    assert run_on(of_file, "backup", str(tmp_path / "file.tar")).exit_code == 0
    settings = replace(on_server, database_url=new_database)
    for file, former, reason in (
        (tmp_path / "file.tar", on_server.database_url, "has a database file"),
        (left_since, new_database, "has no instance"),
    ):
        refused = restore(settings, file, "--former", former)
        assert reason in str(refused.exception)
    refused = restore(of_file, left_since)
    assert "is the backup of a PostgreSQL database" in str(refused.exception)
    refused = restore(of_file, tmp_path / "file.tar", "--former", new_database)
    assert "--former is only for PostgreSQL" in refused.output
    refused = run_on(on_server, "backup", "check", "--restore", str(left_since))
    assert "into an empty database with `audience restore`" in str(refused.exception)
    with psycopg.connect(new_database) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert tables == []


def test_without_the_programs_of_its_version_it_says_what_to_install(on_server, tmp_path, monkeypatch):
    monkeypatch.setattr(postgresql_dumps, "DEBIAN", str(tmp_path / "{}"))
    monkeypatch.setenv("PATH", str(tmp_path))
    reopen(on_server)
    with pytest.raises(Unusable, match=r"install them \(on Debian postgresql-client-[0-9]+\)"):
        backups.create(on_server, tmp_path / "b.tar", lambda *_: None)
    assert [each.name for each in tmp_path.iterdir()] == ["instance"]


FAILING = '#!/bin/sh\n[ "$1" = --version ] && exec /usr/bin/pg_dump --version; echo no >&2; exit 1'


def test_the_reason_of_a_dump_that_fails_is_told_and_leaves_nothing(on_server, tmp_path, monkeypatch):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("pg_dump", "pg_restore", "psql"):
        (programs / name).write_text(FAILING)
        (programs / name).chmod(0o755)
    monkeypatch.setattr(postgresql_dumps, "DEBIAN", str(programs))
    reopen(on_server)
    with pytest.raises(Unusable, match="pg_dump failed: no"):
        kept_backups.make(on_server, COMMAND_LINE)
    assert list(on_server.backups.iterdir()) == []
