"""`audience backup` and `audience restore`, on the instance of a running application and on another."""

import errno
import io
import itertools
import json
import os
import re
import subprocess
import sys
import tarfile
import threading

import pytest
from click.testing import CliRunner

import app as services
from app import instance
from audience import clock, erasures, imports, keys, operators, pepper, sign_in, stats, subscribers
from audience.audit_log import COMMAND_LINE
from audience.changes import change_from_item
from audience.cli.main import audience
from audience.config import Settings
from audience.errors import Refused
from audience.operations import backups, first_site, restore_carryover
from storage import database
from storage import imports as stored_imports
from storage.engines import sqlite
from storage.errors import Unusable
from tests.client import FakeQueue
from tests.service import until
from workers.processes import Processes

READER = """
import sys
from storage import database
database.open(f"sqlite:///{sys.argv[1]}")
with database.session():
    database.rows("SELECT 1 FROM sites")
    print("open", flush=True)
    sys.stdin.read()
"""


def run_on(settings, *words, **options):
    """Runs a command on another instance, as in another process."""
    database.close()
    return CliRunner().invoke(audience, words, obj=services.instance(settings), **options)


def reopen(settings):
    database.close()
    services.open_instance(settings)


def erase(settings, client, email):
    erasures.erase(client.site, settings.instance, email)


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


@pytest.fixture
def backup(type_, client, tmp_path):
    client.create("ann@example.com", tags="vip", fields={"plan": "pro"})
    client.create("bob@example.com")
    file = tmp_path / "backup.tar"
    result = type_("backup", str(file), "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"]["subscribers"] == 2
    return file


def test_a_backup_restored_elsewhere_has_the_same_subscribers_and_keys(backup, client, tmp_path_factory):
    other = Settings(instance=tmp_path_factory.mktemp("other") / "new")
    result = run_on(other, "restore", str(backup), "--yes")
    assert result.exit_code == 0, result.output
    assert "Restored 2 subscribers" in result.stdout
    key = keys.authenticate(client.key.publishable_key, client.key.secret_key)
    assert key is not None
    assert key.sites[0].uuid == client.site.uuid
    assert stats.for_site(client.site) == stats.recount(client.site) == stats.Counts(2, 0)
    ann = subscribers.find(client.site, email="ann@example.com")
    assert ann is not None
    assert ann.fields == {"plan": "pro"}
    assert sorted(each.name for each in other.instance.iterdir() if each.name != "serve.lock") == [
        "audience.db",
        "audience.db-shm",
        "audience.db-wal",
        "pepper",
    ]
    assert other.instance.joinpath("pepper").stat().st_mode & 0o077 == 0


def test_a_backup_is_private_and_leaves_no_other_file(backup):
    assert backup.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in backup.parent.iterdir() if each.name.startswith(".audience")] == []
    with tarfile.open(backup) as tar:
        assert tar.getnames() == ["manifest.json", "pepper", "audience.db"]


def test_a_backup_during_writes_is_consistent(settings, client, tmp_path):
    """Subscribers and their counter are written in one transaction: an inconsistent copy would differ."""
    stop = threading.Event()

    def write():
        for number in itertools.takewhile(lambda _: not stop.is_set(), itertools.count()):
            with database.write():
                subscribers.write(
                    client.site.id,
                    [
                        change_from_item({"email": f"p{number}.{each}@example.com"}, clock.now_ms())
                        for each in range(200)
                    ],
                    subscribers.accept_now(client.site.id),
                )

    writer = threading.Thread(target=write)
    writer.start()
    try:
        until(lambda: stats.for_site(client.site).users > 4000)
        seen = []
        backups.create(
            settings, tmp_path / "b.tar", lambda *_: seen.append(stats.for_site(client.site).users)
        )
    finally:
        stop.set()
        writer.join()
    assert seen[-1] > seen[0]
    assert run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    counted = stats.for_site(client.site)
    assert counted == stats.recount(client.site)
    assert 4000 < counted.users <= seen[0]


def test_a_backup_never_overwrites(backup, type_):
    before = backup.read_bytes()
    assert "exists already" in str(type_("backup", str(backup)).exception)
    assert backup.read_bytes() == before


def test_changes_after_the_backup_are_lost_by_restoring(backup, settings, client):
    client.create("cy@example.com")
    assert run_on(settings, "restore", str(backup), "--yes").exit_code == 0
    assert client.counts() == (2, 2, 0)
    assert client.find("cy@example.com") is None


def test_restoring_asks_for_confirmation(backup, settings, client):
    client.create("cy@example.com")
    assert run_on(settings, "restore", str(backup), input="n\n").exit_code == 1
    reopen(settings)
    assert client.counts() == (3, 3, 0)


def test_subscribers_erased_since_the_backup_stay_erased(backup, settings, client):
    erase(settings, client, "ann@example.com")
    result = run_on(settings, "restore", str(backup), "--yes", "--json")
    assert json.loads(result.stdout)["erased"] == 1
    assert client.find("ann@example.com") is None
    assert client.counts() == (1, 1, 0)
    assert stats.recount(client.site) == stats.Counts(1, 0)
    refused = client.post("/fetch/subscribers", {"subscriber": {"email": "ann@example.com"}})
    assert refused.status_code == 422


def test_subscribers_erased_since_the_backup_are_erased_from_waiting_imports(settings, client, tmp_path):
    """Alternately, and with a tag."""
    client.create("ann@example.com", tags="vip")
    waiting = [(0, {"email": "Ann@example.com", "first_name": "Ann"}), (1, {"email": "bob@example.com"})]
    accepted = imports.accept(client.site, waiting, [], FakeQueue(), 0)
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    erase(settings, client, "ann@example.com")
    assert run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    with database.session():
        assert ["Ann" in payload for _, payload in stored_imports.waiting_batches(client.site.id)] == [False]
    imports.drain(client.site.id, 5)
    assert imports.progress(client.site, accepted.id).suppressed == 1
    assert client.counts() == (1, 1, 0)
    for file in settings.instance.glob("audience.db*"):
        assert b"ann@example.com" not in file.read_bytes().lower()


def test_the_erasure_log_is_enough_if_the_database_is_lost(backup, settings, client):
    erase(settings, client, "ann@example.com")
    database.close()
    (settings.instance / "audience.db").write_bytes(b"not a database at all" * 1000)
    result = run_on(settings, "restore", str(backup), "--yes", "--json")
    assert json.loads(result.stdout)["erased"] == 1
    assert json.loads(result.stdout)["damaged"] is True
    assert client.find("ann@example.com") is None
    assert client.find("bob@example.com") is not None


def test_a_truncated_last_log_line_is_ignored_but_a_broken_line_is_refused(backup, settings, client):
    erase(settings, client, "ann@example.com")
    log = settings.instance / erasures.LOG
    complete_log = log.read_text()
    log.write_text(complete_log + complete_log[:20])
    assert run_on(settings, "restore", str(backup), "--yes").exit_code == 0
    log.write_text(complete_log[:20] + "\n" + complete_log)
    assert "line 1" in str(run_on(settings, "restore", str(backup), "--yes").exception)


def test_erasures_from_before_the_backup_that_were_lifted_stay_lifted(settings, client, type_, tmp_path):
    long_ago = clock.now_ms() - 2 * restore_carryover.CLOCK_SKEW_MS
    client.create("ann@example.com")
    line = {
        "site_uuid": client.site.uuid,
        "address_hash": pepper.address_hash(client.site.id, "ann@example.com"),
        "at": long_ago,
    }
    (settings.instance / erasures.LOG).write_text(json.dumps(line) + "\n")
    type_("backup", str(tmp_path / "b.tar"))
    assert run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    assert client.find("ann@example.com") is not None


def test_erasures_that_cannot_be_matched_prevent_restoring(backup, settings, client):
    erase(settings, client, "ann@example.com")
    with database.write():
        database.execute("UPDATE pepper SET check_value = ?", (pepper.check_value(b"x" * 32),))
    database.close()
    (settings.instance / "pepper").write_bytes(b"x" * 32)
    assert "cannot be matched" in str(run_on(settings, "restore", str(backup), "--yes").exception)
    assert run_on(settings, "restore", str(backup), "--yes", "--ignore-erasures").exit_code == 0
    assert client.find("ann@example.com") is not None


def test_keys_revoked_since_the_backup_stay_revoked(backup, settings, client, type_):
    keys.revoke(client.key.publishable_key, settings.instance)
    assert "1 keys" in run_on(settings, "restore", str(backup), "--yes").stdout
    assert keys.authenticate(client.key.publishable_key, client.key.secret_key) is None


def test_keys_about_to_expire_still_expire(backup, settings, client):
    keys.rotate(client.key.publishable_key, settings.instance, overlap_ms=1)
    assert run_on(settings, "restore", str(backup), "--yes").exit_code == 0
    assert keys.authenticate(client.key.publishable_key, client.key.secret_key) is None


def test_the_first_sites_file_is_deleted_if_its_key_is_not_in_the_backup(
    backup, settings, app, tmp_path_factory
):
    other = Settings(instance=tmp_path_factory.mktemp("other"))
    reopen(other)
    first_site.ensure(other)
    assert run_on(other, "restore", str(backup), "--yes").exit_code == 0
    assert not (other.instance / "first-site.json").exists()


def test_restoring_into_a_running_service_is_refused(backup, settings, client):
    client.create("cy@example.com")
    with Processes(settings).stopped():
        result = run_on(settings, "restore", str(backup), "--yes")
    assert "stop it first" in str(result.exception)
    reopen(settings)
    assert client.counts() == (3, 3, 0)


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


def dated_in_words(octets):
    return re.sub(rb'"created_at": \d+', b'"created_at": "yesterday"', octets)


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
        patch.setattr(sqlite, "stored_code", lambda _: "")
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
        ({"manifest": dated_in_words}, "cannot be read"),
        ({"audience": lambda octets: octets[:-4096]}, "has changed"),
    ],
    ids=[
        "a bit of the database",
        "the pepper",
        "a newer form",
        "no list",
        "brackets",
        "a date in words",
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


@pytest.mark.parametrize("step", ["Copying", "Writing", "Reading"])
def test_ctrl_c_while_backing_up_leaves_nothing_behind(settings, client, tmp_path_factory, step):
    client.create("ann@example.com")
    folder = tmp_path_factory.mktemp("backups")
    with pytest.raises(KeyboardInterrupt):
        backups.create(settings, folder / "b.tar", interrupt_at(step))
    assert list(folder.iterdir()) == []
    client.create("bob@example.com")
    assert client.counts() == (2, 2, 0)


def test_ctrl_c_while_restoring_changes_nothing(backup, settings, client):
    client.create("cy@example.com")
    before = {each.name for each in settings.instance.iterdir()}
    with pytest.raises(KeyboardInterrupt):
        backups.restore(settings, backup, interrupt_at("Reading"), instance(settings).openers)
    assert {each.name for each in settings.instance.iterdir()} == before
    reopen(settings)
    assert client.counts() == (3, 3, 0)


def interrupt_at(wanted):
    def progress(step, done, total):
        if step == wanted:
            raise KeyboardInterrupt

    return progress


def test_progress_is_plain_lines_without_a_terminal(type_, client, tmp_path):
    result = type_("backup", str(tmp_path / "b.tar"))
    assert [line.partition(":")[0] for line in result.stderr.splitlines() if "100%" in line] == [
        "Copying",
        "Writing",
        "Reading",
    ]
    assert "subscribers" in result.stdout
    assert "%" not in result.stdout


def test_the_erasure_log_alone_in_a_new_folder_is_enough(backup, settings, client, tmp_path_factory):
    erase(settings, client, "ann@example.com")
    other = Settings(instance=tmp_path_factory.mktemp("other"))
    (other.instance / erasures.LOG).write_bytes((settings.instance / erasures.LOG).read_bytes())
    assert json.loads(run_on(other, "restore", str(backup), "--yes", "--json").stdout)["erased"] == 1
    assert subscribers.find(client.site, email="ann@example.com") is None


def test_a_backup_of_an_older_audience_is_migrated(settings, client, tmp_path):
    """Also if the present database is as old."""
    other = keys.create([client.site])
    keys.revoke(other.publishable_key, settings.instance)
    with database.write():
        database.execute("ALTER TABLE keys DROP COLUMN expires_at")
        database.execute("DELETE FROM schema_migration WHERE name = '0005_keys_expire'")
        database.execute("UPDATE keys SET revoked_at = NULL")
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    with database.write():
        database.execute("UPDATE keys SET revoked_at = 1 WHERE publishable_key = ?", (other.publishable_key,))
    assert "1 keys" in run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes").stdout
    assert database.pending() == []
    assert keys.authenticate(client.key.publishable_key, client.key.secret_key) is not None
    assert keys.authenticate(other.publishable_key, other.secret_key) is None


def test_a_full_disk_is_reported_and_leaves_nothing_behind(settings, app, tmp_path_factory, monkeypatch):
    def fail_disk_full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    folder = tmp_path_factory.mktemp("backups")
    monkeypatch.setattr(os, "fsync", fail_disk_full)
    with pytest.raises(Refused, match="No space left"):
        backups.create(settings, folder / "b.tar", lambda *_: None)
    assert list(folder.iterdir()) == []


def test_restoring_into_an_instance_in_use_is_refused(backup, settings, client):
    """`audience web` or `audience worker` alone, which do not hold the lock of `serve`."""
    client.create("cy@example.com")
    database.close()
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(settings.instance / "audience.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert reader.stdout is not None
    try:
        assert reader.stdout.readline() == b"open\n"
        assert "another process" in str(run_on(settings, "restore", str(backup), "--yes").exception)
    finally:
        reader.communicate(timeout=30)
    reopen(settings)
    assert client.counts() == (3, 3, 0)


def test_a_restore_keeps_the_operators_and_ends_every_session(type_, client, settings, tmp_path):
    operators.add("old@example.com", True, {client.site: "viewer"}, COMMAND_LINE)
    operators.add("gone@example.com", True, {client.site: "owner"}, COMMAND_LINE)
    token = sign_in.with_link(sign_in.console_link("gone@example.com"), "")
    link = sign_in.console_link("gone@example.com")
    file = tmp_path / "backup.tar"
    assert type_("backup", str(file)).exit_code == 0
    operators.set_role("old@example.com", client.site, "owner", COMMAND_LINE)
    operators.remove("gone@example.com", COMMAND_LINE)
    result = run_on(settings, "restore", str(file), "--yes")
    assert result.exit_code == 0, result.output
    reopen(settings)
    found = [(each.email, roles) for each, roles in operators.list_all()]
    assert found == [("old@example.com", {client.site.id: "owner"})]
    assert operators.signed_in(token) is None
    with pytest.raises(Refused):
        sign_in.with_link(link, "")


def test_a_restore_elsewhere_has_the_operators_of_the_backup_but_nobody_signed_in(
    type_, client, tmp_path, tmp_path_factory
):
    operators.add("ann@example.com", True, {client.site: "owner"}, COMMAND_LINE)
    token = sign_in.with_link(sign_in.console_link("ann@example.com"), "")
    file = tmp_path / "backup.tar"
    assert type_("backup", str(file)).exit_code == 0
    other = Settings(instance=tmp_path_factory.mktemp("other") / "new")
    assert run_on(other, "restore", str(file), "--yes").exit_code == 0
    assert [each.email for each, _ in operators.list_all()] == ["ann@example.com"]
    assert operators.signed_in(token) is None
