"""Backups that are made in the console, and kept in the instance until somebody deletes them."""

import datetime as dt
import fcntl
import json
import re
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
from storage import database
from storage import jobs as stored_jobs
from storage.errors import Unavailable, Unusable

FOLDER = "backups"
NAME = re.compile(r"audience-[0-9]{8}-[0-9]{6}\.tar")
JOB = "backup"
ASKED, PROBLEM = "asked.json", "problem.txt"  # what a worker is told, and tells
CHUNK_BYTES = 2**20
NOT_MADE = "The backup was not made: {}. Make room or repair what it names, then make another."
BUSY = "A backup is being made already: look again in a minute."
GONE = "There is no such backup here."


@dataclass(frozen=True)
class KeptBackup:
    """A backup that is kept; `made_at` is in milliseconds."""

    name: str
    bytes: int
    made_at: int


def ask(settings: Settings, actor: Actor) -> None:
    """Has a worker make a backup.

    Raises `Refused` if one is being made, or if the database is on a server, which has its own.
    """
    backups.refuse_server(settings)
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
    """Whether a backup is being made or waits. The job may be an old one, of a restored database."""
    return (settings.instance / FOLDER / ASKED).exists() and stored_jobs.exists(0, JOB, 0)


def problem(settings: Settings) -> str:
    """Why the last backup failed, as a sentence; "" if it was made."""
    file = settings.instance / FOLDER / PROBLEM
    return file.read_text() if file.exists() else ""


def kind(settings: Settings) -> Kind:
    return Kind(JOB, LONG, partial(_step, settings))


def _step(settings: Settings, job: Job, _deadline: float) -> int:
    """Makes the backup that an operator asked for, and verifies it.

    If the lease ends before that, another worker claims the job, finds the file locked, and puts the job off.
    """
    asked = settings.instance / FOLDER / ASKED
    try:
        with asked.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _try(settings, Actor(*json.load(file)))
    except BlockingIOError:
        return LONG.lease_ms
    except FileNotFoundError:
        pass
    with database.write(database.SHARED):
        jobs.end(job)
    return jobs.SETTLED


def _try(settings: Settings, actor: Actor) -> None:
    """Makes the backup, or stores why it failed."""
    folder = settings.instance / FOLDER
    try:
        _make(settings, actor)
    except (AudienceError, Unavailable, Unusable, OSError) as error:
        (folder / PROBLEM).write_text(NOT_MADE.format(error))
    finally:
        (folder / ASKED).unlink(missing_ok=True)


def _make(settings: Settings, actor: Actor) -> None:
    now = dt.datetime.fromtimestamp(clock.now_ms() / 1000, dt.UTC)
    name = f"audience-{now:%Y%m%d-%H%M%S}.tar"
    backups.create(settings, settings.instance / FOLDER / name, lambda *_: None)
    audit_log.record(actor, "backup made", None, name)


def list_all(settings: Settings) -> list[KeptBackup]:
    """The backups that are kept, newest first."""
    files = sorted((settings.instance / FOLDER).glob("audience-*.tar"), reverse=True)
    return [KeptBackup(file.name, file.stat().st_size, _made_at(file)) for file in files if _is_ours(file)]


def read(settings: Settings, name: str, actor: Actor) -> Iterator[bytes]:
    """Yields a backup in chunks, which the audit log records. Raises `NotFound` before the first."""
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
    file = settings.instance / FOLDER / name
    if not _is_ours(file) or not file.is_file():
        raise NotFound(GONE)
    return file


def _is_ours(file: Path) -> bool:
    return NAME.fullmatch(file.name) is not None


def _made_at(file: Path) -> int:
    """When a backup was made, in milliseconds; 0 if the file is gone."""
    try:
        return int(file.stat().st_mtime * 1000)
    except FileNotFoundError:
        return 0
