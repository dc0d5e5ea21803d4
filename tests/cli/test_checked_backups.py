"""`audience backup check`: a backup read whole, or restored into a temporary folder that nobody else sees."""

import signal
import subprocess
import sys
import tarfile

from audience import jobs
from audience.erasures import erasures
from audience.operations import backups
from audience.privacy import secret_files
from storage.engines import sqlite_files
from tests.cli.restored import reopen, run_on
from tests.receiver import receiving
from tests.service import serving
from tests.webhook_steps import due, make, write

KILLED = """
import os, signal, sys
from pathlib import Path
from app import instance
from audience.config import Settings
from audience.operations import backups

def progress(step, *_):
    os.kill(os.getpid(), signal.SIGKILL)

settings = Settings(instance=Path(sys.argv[1]))
backups.check(settings, Path(sys.argv[2]), progress, instance(settings).openers, restored=True)
"""


def left(settings):
    return [each.name for each in settings.instance.iterdir() if each.name.startswith(secret_files.PRIVATE)]


def test_the_newest_of_the_worker_is_read_whole_without_a_name(backup, settings, run):
    settings.backups.mkdir()
    kept = backup.rename(settings.backups / "audience-daily-20261128-033000.tar")
    assert f"{kept}: 2 subscribers, complete.\n" in run("backup", "check")
    answer = run("backup", "check", "--json")
    assert (answer["file"], answer["rows"]["subscribers"], answer["restored"]) == (str(kept), 2, False)


def test_without_a_backup_it_says_where_it_looked(settings, type_):
    result = type_("backup", "check")
    assert f"There is no backup in {settings.backups}: name a file." in str(result.exception)


def test_one_is_restored_elsewhere_and_the_instance_stays_as_it_is(backup, settings, client):
    erasures.erase(client.site, settings.instance, "ann@example.com")
    client.create("cid@example.com")
    result = run_on(settings, "backup", "check", "--restore", str(backup))
    assert result.exit_code == 0, result.output
    assert "2 subscribers, restored into a temporary folder and compared, equal." in result.stdout
    assert left(settings) == []
    reopen(settings)
    assert client.counts() == (2, 2, 0)


def test_nothing_in_it_is_sent_or_run(client, settings, tmp_path, type_):
    """A webhook with changes to deliver is in the backup, and its receiver listens."""
    with receiving() as receiver:
        make(client.site, receiver)
        write(client.site, "ann@example.com")
        assert type_("backup", tmp_path / "b.tar").exit_code == 0
        waiting = jobs.due_sites(), due()
        assert waiting[1] == 1
        result = run_on(settings, "backup", "check", "--restore", str(tmp_path / "b.tar"))
        assert result.exit_code == 0, result.output
        reopen(settings)
        assert (jobs.due_sites(), due()) == waiting
        assert receiver.received == []


def test_what_a_killed_one_leaves_is_private_and_goes_with_the_next_start(backup, settings, tmp_path):
    words = [str(settings.instance), str(backup)]
    killed = subprocess.run([sys.executable, "-c", KILLED, *words], check=False)
    assert killed.returncode == -signal.SIGKILL
    [name] = left(settings)
    assert (settings.instance / name).stat().st_mode & 0o077 == 0
    with serving(settings.instance):
        assert left(settings) == []


def test_a_changed_one_is_refused(backup, settings):
    octets = bytearray(backup.read_bytes())
    octets[len(octets) // 2] ^= 1
    backup.write_bytes(octets)
    for words in ((), ("--restore",)):
        result = run_on(settings, "backup", "check", *words, str(backup))
        assert "not a complete backup" in str(result.exception)
    assert left(settings) == []
    reopen(settings)


def test_one_that_loses_people_as_it_is_restored_is_told(backup, settings, monkeypatch):
    bring = backups._bring_up_to_date

    def losing(folder, *arguments):
        counts = bring(folder, *arguments)
        with sqlite_files.opened_file(folder / "audience.db") as opened:
            opened.execute_sql("DELETE FROM subscribers WHERE id = 1")
        return counts

    monkeypatch.setattr(backups, "_bring_up_to_date", losing)
    result = run_on(settings, "backup", "check", "--restore", str(backup))
    assert "of 2 subscribers, 0 were erased since, but 1 are there" in str(result.exception)


def test_a_file_called_as_a_command_is_named_by_its_folder(settings, client, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("backup", "./check")
    with tarfile.open(tmp_path / "check") as tar:
        assert "pepper" in tar.getnames()
    assert run("backup", "create", "second.tar", "--json")["file"] == "second.tar"
    assert run("backup", "--json", "third.tar")["file"] == "third.tar"
