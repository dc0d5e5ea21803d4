"""Backups that `audience restore` refuses: the instance stays as it was."""

import hashlib
import io
import json
import re
import tarfile

import pytest

from audience.operations import backups
from storage import database
from storage.engines import sqlite_files
from storage.errors import Unusable
from storage.instance import backups as stored
from tests.cli.restored import reopen, run_on


def modified_backup(file, target, **changed):
    """A backup with some members changed."""
    with tarfile.open(file) as old, tarfile.open(target, "w") as new:
        for member in old.getmembers():
            file_in_it = old.extractfile(member)
            assert file_in_it is not None
            octets = changed.get(member.name.partition(".")[0], lambda same: same)(file_in_it.read())
            member.size = len(octets)
            new.addfile(member, io.BytesIO(octets))
    return target


def test_a_backup_of_a_newer_audience_is_refused(settings, client, tmp_path):
    with database.write():
        database.execute("INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2030-01-01')")
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    with database.write():
        database.execute("DELETE FROM schema_migration WHERE name = '9999_later'")
    result = run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes")
    assert "newer than this Audience" in str(result.exception)
    reopen(settings)
    assert client.counts() == (0, 0, 0)


def flipped(octets):
    return octets[:5000] + bytes([octets[5000] ^ 1]) + octets[5001:]


def newer(octets):
    return octets.replace(b'"format": 1', b'"format": 2')


def dated(instant):
    return lambda octets: re.sub(rb'"created_at": \d+', b'"created_at": ' + instant, octets)


@pytest.mark.parametrize(
    ("statement", "lacks"),
    [
        ("DROP TABLE suppressions", "suppressions.id"),
        ("DROP TABLE keys", "keys"),
        ("DROP TABLE subscribers", "subscribers.id"),
        ("ALTER TABLE sites RENAME COLUMN name TO title", "name"),
        ("ALTER TABLE webhooks DROP COLUMN place", "webhooks.place"),
    ],
)
def test_a_backup_of_a_database_that_lacks_something_is_refused(
    backup, settings, client, tmp_path, statement, lacks
):
    parts = tmp_path / "parts"
    parts.mkdir()
    with tarfile.open(backup) as tar:
        for member in tar:
            file_in_it = tar.extractfile(member)
            assert file_in_it is not None
            (parts / member.name).write_bytes(file_in_it.read())
    with sqlite_files.opened_file(parts / "audience.db") as opened:
        opened.execute_sql("PRAGMA foreign_keys = 0")
        opened.execute_sql(statement)
    manifest = json.loads((parts / "manifest.json").read_text())
    manifest["rows"] = stored.examine(parts / "audience.db").rows
    manifest["sha256"]["audience.db"] = hashlib.sha256((parts / "audience.db").read_bytes()).hexdigest()
    (parts / "manifest.json").write_text(json.dumps(manifest))
    with tarfile.open(tmp_path / "bad.tar", "w") as tar:
        for file in parts.iterdir():
            tar.add(file, file.name)
    result = run_on(settings, "restore", str(tmp_path / "bad.tar"), "--yes")
    assert "not a complete backup" in str(result.exception)
    assert lacks in str(result.exception)
    reopen(settings)
    assert client.counts() == (2, 2, 0)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON subscribers BEGIN DELETE FROM keys; END",
        "CREATE VIEW v AS SELECT * FROM subscribers",
    ],
    ids=["trigger", "view"],
)
def test_a_backup_with_code_of_its_own_is_refused(settings, client, tmp_path, monkeypatch, statement):
    with database.session():
        database.execute(statement)
    with pytest.raises(Unusable, match="code of its own"):
        backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    with monkeypatch.context() as patch:  # as by another program
        patch.setattr(sqlite_files, "stored_code", lambda _: "")
        backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    with database.session():
        database.execute("DROP TRIGGER IF EXISTS t")
        database.execute("DROP VIEW IF EXISTS v")
    result = run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes")
    assert "code of its own" in str(result.exception)
    reopen(settings)
    assert client.counts() == (0, 0, 0)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"audience": flipped}, "has changed"),
        ({"pepper": lambda octets: octets[::-1]}, "has changed"),
        ({"manifest": newer}, "newer"),
        ({"manifest": lambda _: b"{}"}, "cannot be read"),
        ({"manifest": lambda _: b"[" * 100_000}, "cannot be read"),
        ({"manifest": dated(b'"yesterday"')}, "cannot be read"),
        ({"manifest": dated(b"true")}, "cannot be read"),
        ({"manifest": dated(b"1" + b"0" * 16)}, "cannot be read"),
        ({"manifest": dated(b"-1")}, "cannot be read"),
        ({"audience": lambda octets: octets[:-4096]}, "has changed"),
    ],
    ids=[
        "a bit of the database",
        "the pepper",
        "a newer form",
        "no list",
        "brackets",
        "a date in words",
        "a date that is true",
        "a date after all dates",
        "a date before 1970",
        "cut short",
    ],
)
def test_an_incomplete_backup_is_refused_and_changes_nothing(
    backup, settings, client, tmp_path, changed, complaint
):
    client.create("cy@example.com")
    bad = modified_backup(backup, tmp_path / "bad.tar", **changed)
    assert complaint in str(run_on(settings, "restore", str(bad), "--yes").exception)
    reopen(settings)
    assert client.counts() == (3, 3, 0)


@pytest.mark.parametrize("octets", [b"", b"nonsense" * 1000, None], ids=["empty", "nonsense", "missing"])
def test_a_file_that_is_not_a_backup_is_refused(type_, tmp_path, octets):
    file = tmp_path / "b.tar"
    if octets is not None:
        file.write_bytes(octets)
    assert "cannot be read" in str(type_("restore", str(file), "--yes").exception)
