"""`audience backup` and `audience restore`, on the instance of a running application and on another."""

import errno
import itertools
import os
import signal
import subprocess
import sys
import tarfile
import threading

import pytest

from app import instance
from audience import clock
from audience.access import keys
from audience.changes.changes import change_from_item
from audience.config import Settings
from audience.errors import Refused
from audience.operations import backups
from audience.subscribers import stats, subscribers
from storage import database
from tests.cli.restored import reopen, run_on
from tests.service import PATIENCE_SECONDS, until
from workers.processes import Processes

KILLED = """
import os, signal, sys
from pathlib import Path
from app import open_instance
from audience.config import Settings
from audience.operations import backups

def progress(step, *_):
    if step == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)

settings = Settings(instance=Path(sys.argv[1]))
open_instance(settings)
backups.create(settings, Path(sys.argv[2]), progress)
"""
READER = """
import sys
from storage import database
database.open(f"sqlite:///{sys.argv[1]}")
with database.session():
    database.rows("SELECT 1 FROM sites")
    print("open", flush=True)
    sys.stdin.read()
"""


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


def test_restoring_into_a_running_service_is_refused(backup, settings, client):
    client.create("cy@example.com")
    with Processes(settings).stopped():
        result = run_on(settings, "restore", str(backup), "--yes")
    assert "stop it first" in str(result.exception)
    reopen(settings)
    assert client.counts() == (3, 3, 0)


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


@pytest.mark.parametrize("step", ["Copying", "Reading"])
def test_what_a_killed_backup_leaves_goes_with_the_next_one(settings, client, tmp_path_factory, step):
    """It has everybody's addresses, and the pepper."""
    folder = tmp_path_factory.mktemp("backups")
    words = [str(settings.instance), str(folder / "a.tar"), step]
    killed = subprocess.run([sys.executable, "-c", KILLED, *words], check=False)
    assert killed.returncode == -signal.SIGKILL
    [left] = folder.iterdir()
    assert (left / "audience.db").exists()
    backups.create(settings, folder / "b.tar", lambda *_: None)
    assert [each.name for each in folder.iterdir()] == ["b.tar"]


def test_two_backups_at_once_into_one_folder(settings, client, tmp_path_factory):
    folder = tmp_path_factory.mktemp("backups")

    def progress(step, *_):
        if step == "Reading" and not (folder / "b.tar").exists():
            backups.create(settings, folder / "b.tar", lambda *_: None)

    backups.create(settings, folder / "a.tar", progress)
    assert sorted(each.name for each in folder.iterdir()) == ["a.tar", "b.tar"]


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
        reader.communicate(timeout=PATIENCE_SECONDS)
    reopen(settings)
    assert client.counts() == (3, 3, 0)
