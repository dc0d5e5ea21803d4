"""The backup of each day: kept for days and weeks, followed by a command and, weekly, a trial restore."""

import datetime as dt
import stat
import tarfile
from dataclasses import replace

import pytest

from audience import clock, jobs
from audience.access import audit_log
from audience.clock import DAY_MS, HOUR_MS, MINUTE_MS
from audience.erasures import log as erasure_log
from audience.jobs import LONG
from audience.operations import backups, daily_backups, health, kept_backups
from audience.operations.diagnostics import Context
from tests.client import FakeProcesses
from workers.after_backup import AfterBackup

MIDNIGHT = 1_795_824_000_000  # 2026-11-28T00:00Z
AT = 3 * HOUR_MS + 30 * MINUTE_MS


@pytest.fixture
def tried():
    """The files that were restored in a trial."""
    return []


@pytest.fixture
def at(settings, monkeypatch, tried):
    """Lets a worker look at an instant, with other settings. Returns the kept files' names, newest first."""
    up = clock.uptime_ms()

    def look(instant, trial=lambda _: "", **changes):
        nonlocal up
        up += DAY_MS
        there = replace(settings, **({"backup_at": "03:30"} | changes))
        with monkeypatch.context() as patch:
            patch.setattr(clock, "now_ms", lambda: instant)
            patch.setattr(clock, "uptime_ms", lambda: up)
            programs = AfterBackup()
            patch.setattr(programs, "restore_in_trial", lambda file: tried.append(file.name) or trial(file))
            kind = daily_backups.kind(there, programs)
            jobs.prepare([kind])
            jobs.work([kind], 0, 30)
            return [backup.name for backup in kept_backups.list_all(there)]

    return look


def name(instant):
    return f"audience-daily-{dt.datetime.fromtimestamp(instant / 1000, dt.UTC):%Y%m%d-%H%M%S}.tar"


@pytest.fixture
def doctor_of(settings):
    """The findings of the probe, as another setting has them."""
    return lambda **changes: list(health.backups(Context(replace(settings, **changes), FakeProcesses())))


def test_one_is_made_at_the_time_of_day_and_no_second_one_that_day(site, at):
    first = name(MIDNIGHT - HOUR_MS)
    assert at(MIDNIGHT - HOUR_MS, backup_at="") == []
    assert at(MIDNIGHT - HOUR_MS) == [first]  # of yesterday's 03:30, which nobody made
    assert at(MIDNIGHT + AT - 1) == [first]
    assert at(MIDNIGHT + AT) == [name(MIDNIGHT + AT), first]
    assert at(MIDNIGHT + AT + 20 * HOUR_MS) == [name(MIDNIGHT + AT), first]
    assert audit_log.page(None)[0].actor == "daily backup"


def test_the_newest_of_so_many_days_and_weeks_are_kept(site, at, monkeypatch):
    monkeypatch.setattr(backups, "create", lambda _settings, file, _progress: file.touch())
    for day in range(40):
        names = at(MIDNIGHT + AT + day * DAY_MS, backup_days=3, backup_weeks=2)
    names = at(MIDNIGHT + AT + 39 * DAY_MS + 1, backup_days=3, backup_weeks=2)
    assert names == [name(MIDNIGHT + AT + day * DAY_MS) for day in (39, 38, 37, 32)]


def test_none_is_older_than_the_consent_log_though_no_new_one_is_made(site, at, settings, monkeypatch):
    at(MIDNIGHT)
    by_hand = settings.backups / "audience-20200101-000000.tar"
    by_hand.touch()
    assert at(MIDNIGHT + 9 * DAY_MS, backup_at="", consent_log_days=10) == [name(MIDNIGHT), by_hand.name]
    assert at(MIDNIGHT + 11 * DAY_MS, backup_at="", consent_log_days=10) == [by_hand.name]


def test_a_failure_is_told_everywhere_and_tried_again_within_the_hour(
    site, at, app, settings, administrator, doctor_of, monkeypatch, tmp_path
):
    missing = {"backup_folder": str(tmp_path / "unmounted")}
    assert at(MIDNIGHT, **missing) == []
    assert "unmounted, which AUDIENCE_BACKUP_FOLDER names" in administrator.get("/backups").text
    found = doctor_of(backup_at="03:30", **missing)
    assert [each.found for each in found] == [
        "the last daily backup was not made",
        "no backup has been made yet",
    ]
    assert "unmounted" in found[0].advice
    assert at(MIDNIGHT + HOUR_MS) == [name(MIDNIGHT + HOUR_MS)]
    assert "unmounted" not in administrator.get("/backups").text


def test_where_there_is_no_room_nothing_is_written(site, at, settings, monkeypatch):
    monkeypatch.setattr(backups, "room_needed", lambda _: 10**15)
    assert at(MIDNIGHT) == []
    assert "a backup needs 1,000,000,001 MB, twice the database" in daily_backups.outcome(settings).problem


def test_a_worker_that_finds_another_at_it_leaves_it_alone(site, at, settings, monkeypatch):
    create, begun = backups.create, []

    def overtaken(*arguments):
        begun.append(1)
        later = clock.uptime_ms() + LONG.lease_ms + 1
        with monkeypatch.context() as patch:
            patch.setattr(clock, "uptime_ms", lambda: later)
            there = replace(settings, backup_at="03:30")
            jobs.work([daily_backups.kind(there, AfterBackup())], 0, 30)
        create(*arguments)

    monkeypatch.setattr(backups, "create", overtaken)
    assert at(MIDNIGHT) == [name(MIDNIGHT)]
    assert begun == [1]


def test_the_command_has_the_file_and_its_failure_is_told(
    site, at, settings, administrator, doctor_of, tmp_path
):
    at(MIDNIGHT, backup_command=f'cp "$BACKUP_FILE" {tmp_path}/copy.tar')
    with tarfile.open(tmp_path / "copy.tar") as tar:
        assert tar.getnames() == ["manifest.json", "pepper", "audience.db"]
    assert daily_backups.outcome(settings).command == ""
    at(MIDNIGHT + AT, backup_command="echo no such remote >&2; exit 3")
    told = (
        f"{name(MIDNIGHT + AT)} was made, but AUDIENCE_BACKUP_COMMAND failed: no such remote (exit status 3)."
    )
    assert told in administrator.get("/backups").text
    assert "AUDIENCE_BACKUP_COMMAND has not succeeded after the last daily backup" in [
        each.found for each in doctor_of(backup_at="03:30")
    ]


def test_a_command_that_a_stopped_worker_left_is_told(site, at, settings, doctor_of, monkeypatch):
    def kill(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(AfterBackup, "run_command", kill)
    with pytest.raises(KeyboardInterrupt):
        at(MIDNIGHT, backup_command="true")
    [warning, *_] = doctor_of(backup_at="03:30")
    assert warning.advice.startswith(f"AUDIENCE_BACKUP_COMMAND has not ended for {name(MIDNIGHT)}")


def test_once_a_week_one_is_restored_in_a_trial_and_a_failure_is_told(
    site, at, settings, administrator, tried, doctor_of
):
    at(MIDNIGHT, lambda _: "The backup does not restore.")
    assert "The backup does not restore." in administrator.get("/backups").text
    assert "the last daily backup does not restore" in [each.found for each in doctor_of(backup_at="03:30")]
    for day in range(9):
        at(MIDNIGHT + AT + day * DAY_MS)
    assert tried == [name(MIDNIGHT), name(MIDNIGHT + AT), name(MIDNIGHT + AT + 7 * DAY_MS)]
    assert "does not restore" not in administrator.get("/backups").text


def test_a_folder_of_its_own_gets_the_log_of_erasures_too(site, at, settings, tmp_path):
    erasure_log.begin(settings.instance)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    assert at(MIDNIGHT, backup_folder=str(folder)) == [name(MIDNIGHT)]
    log = folder / "erasures.log"
    assert log.read_bytes() == (settings.instance / "erasures.log").read_bytes()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert sorted(each.name for each in folder.iterdir()) == [name(MIDNIGHT), "erasures.log"]


def test_readyz_warns_after_48_hours_and_the_metric_says_how_old(site, at, settings, doctor_of, monkeypatch):
    at(MIDNIGHT)
    monkeypatch.setattr(clock, "now_ms", lambda: MIDNIGHT + 48 * HOUR_MS)
    assert [each.state for each in doctor_of(backup_at="03:30")] == ["ok"]
    assert [each.state for each in doctor_of()] == ["ok"]
    monkeypatch.setattr(clock, "now_ms", lambda: MIDNIGHT + 49 * HOUR_MS)
    [late] = doctor_of(backup_at="03:30")
    assert (late.state, late.found) == ("warn", "the last backup is 49 hours old")
    assert daily_backups.outcome(settings).problem == ""
