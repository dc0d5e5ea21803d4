"""Backups that a worker has made: those asked for in the console, and those of each day."""

import contextlib
import datetime as dt
import fcntl
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from audience import clock, jobs
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.config import Settings
from audience.errors import AudienceError, NotFound, Refused
from audience.jobs import LONG, Job, Kind
from audience.operations import backups
from audience.privacy import secret_files
from audience.protocols import BackupPrograms
from storage import database
from storage import jobs as stored_jobs
from storage.errors import Unavailable, Unusable

FOLDER = "backups"
NAME = re.compile(r"audience-(daily-)?[0-9]{8}-[0-9]{6}\.tar")
DAILY, INSTANT = "audience-daily-", "%Y%m%d-%H%M%S"
JOB = "backup"
ASKED, PROBLEM = "asked.json", "problem.txt"  # what a worker is told, and tells
CHUNK_BYTES = 2**20
MB = 1_000_000
NO_FOLDER = "there is no folder {}, which AUDIENCE_BACKUP_FOLDER names: create it, or mount its disk"
NOT_MADE = "The backup was not made: {}. Correct that, then make another backup."
COMMAND_FAILED = "{} was made, but AUDIENCE_BACKUP_COMMAND failed: {}."
BUSY = "Another backup is being made: look again in a minute."
NONE = "There is no backup in {}: name a file."
GONE = "There is no such backup here."


@dataclass(frozen=True)
class KeptBackup:
    """A backup that is kept; `made_at` is in milliseconds."""

    name: str
    bytes: int
    made_at: int


def ask(settings: Settings, actor: Actor) -> None:
    """Has a worker make a backup. Raises `Refused` if a backup is being made or waits."""
    folder = settings.instance / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    with database.write(database.SHARED):
        if is_busy(settings):
            raise Refused(BUSY)
        (folder / PROBLEM).unlink(missing_ok=True)
        with open(folder / ASKED, "w", opener=secret_files.private_opener) as file:
            json.dump([actor.name, actor.client_network], file)
        stored_jobs.add(0, JOB, 0)


@database.session()
def is_busy(settings: Settings) -> bool:
    """Whether a backup is being made or waits: both its file and its job exist.

    A database that was restored may have the job alone.
    """
    return (settings.instance / FOLDER / ASKED).exists() and stored_jobs.exists(0, JOB, 0)


def problem(settings: Settings) -> str:
    """Why the last backup failed, as a sentence; "" if it was made."""
    file = settings.instance / FOLDER / PROBLEM
    return file.read_text() if file.exists() else ""


def kind(settings: Settings, programs: BackupPrograms) -> Kind:
    return Kind(JOB, LONG, partial(_step, settings, programs))


def _step(settings: Settings, programs: BackupPrograms, job: Job, _deadline: float) -> int:
    """Makes the backup that an operator asked for, and verifies it.

    If the lease ends before that, another worker claims the job, finds the file locked, and puts the job off.
    """
    asked = settings.instance / FOLDER / ASKED
    try:
        with asked.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _try(settings, programs, Actor(*json.load(file)))
    except BlockingIOError:
        return LONG.lease_ms
    except FileNotFoundError:
        pass
    with database.write(database.SHARED):
        jobs.end(job)
    return jobs.SETTLED


def _try(settings: Settings, programs: BackupPrograms, actor: Actor) -> None:
    """Makes the backup, and runs the command of the settings. Stores why one of them failed."""
    folder = settings.instance / FOLDER
    try:
        file = make(settings, actor)
        if failure := run_command(settings, programs, file):
            (folder / PROBLEM).write_text(failure)
    except (AudienceError, Unavailable, Unusable, OSError) as error:
        (folder / PROBLEM).write_text(NOT_MADE.format(error))
    finally:
        (folder / ASKED).unlink(missing_ok=True)


def make(settings: Settings, actor: Actor, prefix: str = "audience-") -> Path:
    """Makes a backup in the folder of the settings. Returns its file. Raises `Refused`, `Unusable`."""
    folder = settings.backups
    if not settings.backup_folder:
        folder.mkdir(mode=0o700, exist_ok=True)
    elif not folder.is_dir():
        raise Refused(NO_FOLDER.format(folder))
    free, needed = shutil.disk_usage(folder).free, backups.room_needed(settings)
    if free < needed:
        raise Refused(backups.NO_ROOM.format(free // MB, folder, needed // MB + 1))
    now = dt.datetime.fromtimestamp(clock.now_ms() / 1000, dt.UTC)
    file = folder / f"{prefix}{now:{INSTANT}}.tar"
    backups.create(settings, file, lambda *_: None)
    audit_log.record(actor, "backup made", None, file.name)
    return file


def run_command(settings: Settings, programs: BackupPrograms, file: Path) -> str:
    """Runs the command of the settings for a backup. Returns why it failed, as a sentence, or ""."""
    command = settings.backup_command
    reason = programs.run_command(command, file) if command else ""
    return COMMAND_FAILED.format(file.name, reason) if reason else ""


def list_all(settings: Settings) -> list[KeptBackup]:
    """The backups that are kept, newest first."""
    files = [file for file in settings.backups.glob("audience-*.tar") if _is_ours(file)]
    backups_here = [KeptBackup(file.name, _size(file), _made_at(file)) for file in files]
    return sorted(backups_here, key=lambda backup: backup.made_at, reverse=True)


def newest(settings: Settings) -> Path:
    """The newest backup that is kept. Raises `NotFound`."""
    for backup in list_all(settings):
        return settings.backups / backup.name
    raise NotFound(NONE.format(settings.backups))


def age_ms(settings: Settings) -> int:
    """The age of the newest backup that is kept, in milliseconds; without a backup, the time since 1970."""
    return clock.now_ms() - max((backup.made_at for backup in list_all(settings)), default=0)


def read(settings: Settings, name: str, actor: Actor) -> Iterator[bytes]:
    """The chunks of a backup; the audit log records the download. Raises `NotFound` before the first."""
    file = _file(settings, name)
    audit_log.record(actor, "backup downloaded", None, name)
    return _pieces(file)


def _pieces(file: Path) -> Iterator[bytes]:
    with file.open("rb") as binary:
        while chunk := binary.read(CHUNK_BYTES):
            yield chunk


def delete(settings: Settings, name: str, actor: Actor) -> None:
    """Deletes a backup. Raises `NotFound`."""
    file = _file(settings, name)
    with database.write(database.SHARED):
        audit_log.record(actor, "backup deleted", None, name)
        file.unlink(missing_ok=True)


def _file(settings: Settings, name: str) -> Path:
    """The path of a backup. Raises `NotFound`."""
    file = settings.backups / name
    if not _is_ours(file) or not file.is_file():
        raise NotFound(GONE)
    return file


def _is_ours(file: Path) -> bool:
    return NAME.fullmatch(file.name) is not None


def _made_at(file: Path) -> int:
    """When a backup was made, by its name, in milliseconds."""
    instant = dt.datetime.strptime(file.stem[-15:], INSTANT).replace(tzinfo=dt.UTC)
    return int(instant.timestamp() * 1000)


def _size(file: Path) -> int:
    """The bytes of a file; 0 if it is gone."""
    with contextlib.suppress(FileNotFoundError):
        return file.stat().st_size
    return 0
