"""`audience backup` and `audience restore`, on the instance of a running application and on another."""

import errno
import io
import itertools
import json
import os
import subprocess
import sys
import tarfile
import threading

import pytest
from click.testing import CliRunner

import app as wiring
from audience import backups, clock, erasures, first_site, imports, lasting, pepper, sites, stats, subscribers
from audience.cli import audience
from audience.config import Settings
from audience.errors import Refused
from storage import database
from storage import files as stored_files
from tests.door import Rung
from tests.service import until

READER = """
import sys
from storage import database
database.open(f"sqlite:///{sys.argv[1]}")
with database.session():
    database.rows("SELECT 1 FROM sites")
    print("open", flush=True)
    sys.stdin.read()
"""


def on(settings, *words, **options):
    """Types a command on another instance, as another process would."""
    database.close()
    return CliRunner().invoke(audience, words, obj=wiring.instance(settings), **options)


def reopen(settings):
    database.close()
    wiring.open_instance(settings)


def erase(settings, door, email):
    erasures.erase(door.site, settings.instance, email)


def rewritten(file, target, **changed):
    """A backup with other contents of some members."""
    with tarfile.open(file) as old, tarfile.open(target, "w") as new:
        for member in old.getmembers():
            octets = changed.get(member.name.partition(".")[0], lambda found: found)(
                old.extractfile(member).read()
            )
            member.size = len(octets)
            new.addfile(member, io.BytesIO(octets))
    return target


@pytest.fixture
def backup(type_, door, tmp_path):
    door.create("ann@example.com", tags="vip", fields={"plan": "pro"})
    door.create("bob@example.com")
    file = tmp_path / "backup.tar"
    result = type_("backup", str(file), "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"]["subscribers"] == 2
    return file


def test_a_backup_restored_elsewhere_has_the_same_people_and_keys(backup, door, tmp_path_factory):
    other = Settings(instance=tmp_path_factory.mktemp("other") / "new")
    result = on(other, "restore", str(backup), "--yes")
    assert result.exit_code == 0, result.output
    assert "Restored 2 people" in result.stdout
    assert sites.authenticate(door.key.publishable_key, door.key.secret_key).sites[0].uuid == door.site.uuid
    assert stats.site(door.site) == stats.recount(door.site) == stats.Counts(2, 0)
    assert subscribers.find(door.site, email="ann@example.com").fields == {"plan": "pro"}
    assert sorted(each.name for each in other.instance.iterdir() if each.name != "serve.lock") == [
        "audience.db",
        "audience.db-shm",
        "audience.db-wal",
        "pepper",
    ]
    assert other.instance.joinpath("pepper").stat().st_mode & 0o077 == 0


def test_a_backup_is_private_and_nothing_is_left_beside_it(backup):
    assert backup.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in backup.parent.iterdir() if each.name.startswith(".audience")] == []
    with tarfile.open(backup) as tar:
        assert tar.getnames() == ["manifest.json", "pepper", "audience.db"]


def test_a_backup_is_of_one_instant_while_people_come_in(settings, door, tmp_path):
    """Each person is written in one transaction with the counter: a copy that mixed two would show."""
    stop = threading.Event()

    def write():
        for number in itertools.takewhile(lambda _: not stop.is_set(), itertools.count()):
            with database.write():
                subscribers.write(
                    door.site.id,
                    [
                        subscribers.change({"email": f"p{number}.{each}@example.com"}, clock.now())
                        for each in range(200)
                    ],
                )

    writer = threading.Thread(target=write)
    writer.start()
    try:
        until(lambda: stats.site(door.site).users > 4000)
        seen = []
        backups.create(settings, tmp_path / "b.tar", lambda *_: seen.append(stats.site(door.site).users))
    finally:
        stop.set()
        writer.join()
    assert seen[-1] > seen[0]
    assert on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    counted = stats.site(door.site)
    assert counted == stats.recount(door.site)
    assert 4000 < counted.users <= seen[0]


def test_a_backup_never_overwrites(backup, type_):
    before = backup.read_bytes()
    assert "exists already" in str(type_("backup", str(backup)).exception)
    assert backup.read_bytes() == before


def test_what_came_after_the_backup_is_gone_after_restoring(backup, settings, door):
    door.create("cy@example.com")
    assert on(settings, "restore", str(backup), "--yes").exit_code == 0
    assert door.counts() == (2, 2, 0)
    assert door.find("cy@example.com") is None


def test_restoring_asks_first(backup, settings, door):
    door.create("cy@example.com")
    assert on(settings, "restore", str(backup), input="n\n").exit_code == 1
    reopen(settings)
    assert door.counts() == (3, 3, 0)


def test_those_erased_since_stay_erased(backup, settings, door):
    erase(settings, door, "ann@example.com")
    result = on(settings, "restore", str(backup), "--yes", "--json")
    assert json.loads(result.stdout)["erased"] == 1
    assert door.find("ann@example.com") is None
    assert door.counts() == (1, 1, 0)
    assert stats.recount(door.site) == stats.Counts(1, 0)
    refused = door.post("/fetch/subscribers", {"subscriber": {"email": "ann@example.com"}})
    assert refused.status_code == 422


def test_those_erased_since_are_erased_from_what_waited_too(settings, door, tmp_path):
    """In turn, and with a tag."""
    door.create("ann@example.com", tags="vip")
    waiting = [(0, {"email": "Ann@example.com", "first_name": "Ann"}), (1, {"email": "bob@example.com"})]
    accepted = imports.accept(door.site, waiting, [], Rung(), 0)
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    erase(settings, door, "ann@example.com")
    assert on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    with database.session():
        assert ["Ann" in payload for _, payload in stored_files.waiting_batches(door.site.id)] == [False]
    imports.drain(door.site.id, 5)
    assert imports.progress(door.site, accepted.id).suppressed == 1
    assert door.counts() == (1, 1, 0)
    for file in settings.instance.glob("audience.db*"):
        assert b"ann@example.com" not in file.read_bytes().lower()


def test_the_log_of_erasures_is_enough_where_the_database_is_lost(backup, settings, door):
    erase(settings, door, "ann@example.com")
    database.close()
    (settings.instance / "audience.db").write_bytes(b"not a database at all" * 1000)
    result = on(settings, "restore", str(backup), "--yes", "--json")
    assert json.loads(result.stdout)["erased"] == 1
    assert json.loads(result.stdout)["damaged"] is True
    assert door.find("ann@example.com") is None
    assert door.find("bob@example.com") is not None


def test_a_log_line_that_was_cut_off_at_the_end_is_no_obstacle_but_a_broken_one_within_is(
    backup, settings, door
):
    erase(settings, door, "ann@example.com")
    log = settings.instance / erasures.LOG
    whole = log.read_text()
    log.write_text(whole + whole[:20])
    assert on(settings, "restore", str(backup), "--yes").exit_code == 0
    log.write_text(whole[:20] + "\n" + whole)
    assert "line 1" in str(on(settings, "restore", str(backup), "--yes").exception)


def test_erasures_from_before_the_backup_that_were_lifted_stay_lifted(settings, door, type_, tmp_path):
    long_ago = clock.now() - 2 * lasting.SLACK
    door.create("ann@example.com")
    line = {
        "site_uuid": door.site.uuid,
        "address_hash": pepper.address_hash(door.site.id, "ann@example.com"),
        "at": long_ago,
    }
    (settings.instance / erasures.LOG).write_text(json.dumps(line) + "\n")
    type_("backup", str(tmp_path / "b.tar"))
    assert on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    assert door.find("ann@example.com") is not None


def test_erasures_that_cannot_be_matched_stand_against_restoring(backup, settings, door):
    erase(settings, door, "ann@example.com")
    database.close()
    (settings.instance / "pepper").write_bytes(b"x" * 32)
    assert "cannot be matched" in str(on(settings, "restore", str(backup), "--yes").exception)
    assert on(settings, "restore", str(backup), "--yes", "--ignore-erasures").exit_code == 0
    assert door.find("ann@example.com") is not None


def test_keys_that_ended_since_stay_ended(backup, settings, door, type_):
    sites.revoke_key(door.key.publishable_key)
    assert "1 keys" in on(settings, "restore", str(backup), "--yes").stdout
    assert sites.authenticate(door.key.publishable_key, door.key.secret_key) is None


def test_keys_that_are_about_to_end_do_so(backup, settings, door):
    sites.rotate_key(door.key.publishable_key, overlap=1)
    assert on(settings, "restore", str(backup), "--yes").exit_code == 0
    assert sites.authenticate(door.key.publishable_key, door.key.secret_key) is None


def test_the_first_sites_file_goes_when_its_key_is_not_in_the_backup(backup, settings, app, tmp_path_factory):
    other = Settings(instance=tmp_path_factory.mktemp("other"))
    reopen(other)
    first_site.ensure(other)
    assert on(other, "restore", str(backup), "--yes").exit_code == 0
    assert not (other.instance / "first-site.json").exists()


def test_a_running_service_is_not_restored_into(backup, settings, door):
    door.create("cy@example.com")
    with wiring.Processes(settings).stopped():
        result = on(settings, "restore", str(backup), "--yes")
    assert "stop it first" in str(result.exception)
    reopen(settings)
    assert door.counts() == (3, 3, 0)


def test_a_backup_of_a_newer_audience_is_refused(settings, door, tmp_path):
    with database.write():
        database.execute("INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2030-01-01')")
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    with database.write():
        database.execute("DELETE FROM schema_migration WHERE name = '9999_later'")
    result = on(settings, "restore", str(tmp_path / "b.tar"), "--yes")
    assert "newer than this Audience" in str(result.exception)
    reopen(settings)
    assert door.counts() == (0, 0, 0)


def flipped(octets):
    return octets[:5000] + bytes([octets[5000] ^ 1]) + octets[5001:]


def newer(octets):
    return octets.replace(b'"format": 1', b'"format": 2')


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"audience": flipped}, "has changed"),
        ({"pepper": lambda octets: octets[::-1]}, "has changed"),
        ({"manifest": newer}, "newer"),
        ({"manifest": lambda _: b"{}"}, "cannot be read"),
        ({"audience": lambda octets: octets[:-4096]}, "has changed"),
    ],
    ids=["a bit of the database", "the pepper", "a newer form", "no list", "cut short"],
)
def test_what_is_not_whole_is_refused_and_changes_nothing(
    backup, settings, door, tmp_path, changed, complaint
):
    door.create("cy@example.com")
    bad = rewritten(backup, tmp_path / "bad.tar", **changed)
    assert complaint in str(on(settings, "restore", str(bad), "--yes").exception)
    reopen(settings)
    assert door.counts() == (3, 3, 0)


@pytest.mark.parametrize("octets", [b"", b"nonsense" * 1000, None], ids=["empty", "nonsense", "missing"])
def test_what_is_no_backup_is_refused(type_, tmp_path, octets):
    file = tmp_path / "b.tar"
    if octets is not None:
        file.write_bytes(octets)
    assert "cannot be read" in str(type_("restore", str(file), "--yes").exception)


@pytest.mark.parametrize("step", ["Copying", "Writing", "Reading"])
def test_ctrl_c_while_backing_up_leaves_nothing_behind(settings, door, tmp_path_factory, step):
    door.create("ann@example.com")
    folder = tmp_path_factory.mktemp("backups")
    with pytest.raises(KeyboardInterrupt):
        backups.create(settings, folder / "b.tar", interrupt_at(step))
    assert list(folder.iterdir()) == []
    door.create("bob@example.com")
    assert door.counts() == (2, 2, 0)


def test_ctrl_c_while_restoring_changes_nothing(backup, settings, door):
    door.create("cy@example.com")
    before = {each.name for each in settings.instance.iterdir()}
    with pytest.raises(KeyboardInterrupt):
        backups.restore(settings, backup, interrupt_at("Reading"))
    assert {each.name for each in settings.instance.iterdir()} == before
    reopen(settings)
    assert door.counts() == (3, 3, 0)


def interrupt_at(wanted):
    def progress(step, done, total):
        if step == wanted:
            raise KeyboardInterrupt

    return progress


def test_progress_is_plain_lines_where_there_is_no_terminal(type_, door, tmp_path):
    result = type_("backup", str(tmp_path / "b.tar"))
    assert [line.partition(":")[0] for line in result.stderr.splitlines() if "100%" in line] == [
        "Copying",
        "Writing",
        "Reading",
    ]
    assert "people" in result.stdout
    assert "%" not in result.stdout


def test_the_log_alone_in_a_new_folder_is_enough(backup, settings, door, tmp_path_factory):
    erase(settings, door, "ann@example.com")
    other = Settings(instance=tmp_path_factory.mktemp("other"))
    (other.instance / erasures.LOG).write_bytes((settings.instance / erasures.LOG).read_bytes())
    assert json.loads(on(other, "restore", str(backup), "--yes", "--json").stdout)["erased"] == 1
    assert subscribers.find(door.site, email="ann@example.com") is None


def test_a_backup_of_an_older_audience_is_brought_up_to_date(settings, door, tmp_path):
    """Also where the present database is as old."""
    other = sites.create_key([door.site])
    sites.revoke_key(other.publishable_key)
    with database.write():
        database.execute("ALTER TABLE keys DROP COLUMN expires_at")
        database.execute("DELETE FROM schema_migration WHERE name = '0005_keys_expire'")
        database.execute("UPDATE keys SET revoked_at = NULL")
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    with database.write():
        database.execute("UPDATE keys SET revoked_at = 1 WHERE publishable_key = ?", (other.publishable_key,))
    assert "1 keys" in on(settings, "restore", str(tmp_path / "b.tar"), "--yes").stdout
    assert database.pending() == []
    assert sites.authenticate(door.key.publishable_key, door.key.secret_key) is not None
    assert sites.authenticate(other.publishable_key, other.secret_key) is None


def test_a_full_disk_is_told_and_leaves_nothing_behind(settings, app, tmp_path_factory, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    folder = tmp_path_factory.mktemp("backups")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Refused, match="No space left"):
        backups.create(settings, folder / "b.tar", lambda *_: None)
    assert list(folder.iterdir()) == []


def test_an_instance_that_another_process_uses_is_not_restored_into(backup, settings, door):
    """`audience web` or `audience worker` alone, which do not hold the lock of `serve`."""
    door.create("cy@example.com")
    database.close()
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(settings.instance / "audience.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert reader.stdout.readline() == b"open\n"
        assert "another process" in str(on(settings, "restore", str(backup), "--yes").exception)
    finally:
        reader.communicate(timeout=30)
    reopen(settings)
    assert door.counts() == (3, 3, 0)
