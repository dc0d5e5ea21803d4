"""The backup of each day: when it is due, which ones are kept, and the trial restore of each week."""

import fcntl
import json
import logging
import shutil
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from audience import clock
from audience.access.audit_log import Actor
from audience.clock import DAY_MS, MINUTE_MS
from audience.config import Settings
from audience.erasures import log as erasure_log
from audience.errors import AudienceError, where
from audience.jobs import LONG, Job, Kind
from audience.operations import kept_backups
from audience.operations.kept_backups import KeptBackup
from audience.privacy import secret_files
from audience.protocols import BackupPrograms
from storage import database
from storage.errors import StatementError, Unavailable, Unusable

OUTCOME, LOCK = "daily.json", "daily.lock"
LOOK_MS, RETRY_MS = 10 * MINUTE_MS, 60 * MINUTE_MS
TRIAL_DAYS = 7
UNFINISHED = "AUDIENCE_BACKUP_COMMAND has not ended for {}: it is still running, or the worker was stopped."
BY_ITSELF = Actor("daily backup")
ERRORS = (AudienceError, StatementError, Unavailable, Unusable, OSError)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DailyOutcome:
    """Why the last daily backup (`problem`), the `command` after it, or its `trial` restore failed; else "".

    `tried_at` is when a trial last succeeded, in milliseconds.
    """

    problem: str = ""
    command: str = ""
    trial: str = ""
    tried_at: int = 0


def outcome(settings: Settings) -> DailyOutcome:
    """The outcome of the last daily backup; an empty one if there was no backup."""
    try:
        return DailyOutcome(**json.loads((_folder(settings) / OUTCOME).read_bytes()))
    except (OSError, ValueError, TypeError):
        return DailyOutcome()


def kind(settings: Settings, programs: BackupPrograms) -> Kind:
    return Kind("daily backup", LONG, partial(_step, settings, programs), own=True, at_once=1)


def _folder(settings: Settings) -> Path:
    return settings.instance / kept_backups.FOLDER


def _step(settings: Settings, programs: BackupPrograms, _job: Job, _deadline: float) -> int:
    """Makes the day's backup once it is due, and deletes old ones. Returns milliseconds until the next step.

    If the lease ends during a backup, another worker claims the job, finds the file locked, and postpones it.
    """
    _prune(settings)
    if not _is_due(settings):
        return LOOK_MS
    _folder(settings).mkdir(mode=0o700, exist_ok=True)
    with open(_folder(settings) / LOCK, "w", opener=secret_files.private_opener) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return LONG.lease_ms
        result = _make(settings, programs, outcome(settings))
        _store(settings, result)
    return RETRY_MS if result.problem else LOOK_MS


def _is_due(settings: Settings) -> bool:
    """Whether `backup_at` has come, or passed while nothing ran, since the last daily backup."""
    if not settings.backup_at:
        return False
    hours, minutes = map(int, settings.backup_at.split(":"))
    offset_ms, now = (60 * hours + minutes) * MINUTE_MS, clock.now_ms()
    due_at = (now - offset_ms) // DAY_MS * DAY_MS + offset_ms
    return not any(due_at <= backup.made_at <= now for backup in _list(settings))


def _list(settings: Settings) -> list[KeptBackup]:
    """The daily backups that are kept, newest first."""
    backups = kept_backups.list_all(settings)
    return [backup for backup in backups if backup.name.startswith(kept_backups.DAILY)]


def _prune(settings: Settings) -> None:
    """Deletes daily backups beyond `backup_days` and `backup_weeks`, or older than `consent_log_days`."""
    daily, oldest = _list(settings), clock.now_ms() - settings.consent_log_days * DAY_MS
    names = {backup.name for backup in _newest(daily, 1)[: settings.backup_days]}
    names |= {backup.name for backup in _newest(daily, 7)[: settings.backup_weeks]}
    for backup in daily:
        if backup.name not in names or backup.made_at < oldest:
            (settings.backups / backup.name).unlink(missing_ok=True)


def _newest(daily: list[KeptBackup], days: int) -> list[KeptBackup]:
    """The newest backup of each period of `days` days, newest first. Weeks begin on a Thursday."""
    return list({backup.made_at // (days * DAY_MS): backup for backup in reversed(daily)}.values())[::-1]


def _make(settings: Settings, programs: BackupPrograms, last: DailyOutcome) -> DailyOutcome:
    """Makes a backup, runs the command and, once a week, the trial. Returns the outcome."""
    try:
        file = kept_backups.make(settings, BY_ITSELF, kept_backups.DAILY)
        _copy_log(settings)
    except ERRORS as error:
        log.error("the daily backup was not made: %s", where(error))
        return replace(last, problem=str(error))
    if settings.backup_command:
        _store(settings, replace(last, problem="", command=UNFINISHED.format(file.name)))
    command = kept_backups.run_command(settings, programs, file)
    if command:
        log.error("AUDIENCE_BACKUP_COMMAND failed")
    result = replace(last, problem="", command=command)
    return _try(programs, file, result) if _is_trial_due(settings, file, last) else result


def _store(settings: Settings, result: DailyOutcome) -> None:
    secret_files.write(_folder(settings) / OUTCOME, json.dumps(asdict(result)).encode())


def _copy_log(settings: Settings) -> None:
    """Copies the log of erasures into `backup_folder`, if set: a restore on another machine needs it."""
    source = erasure_log.file_of(settings.instance)
    if source and source.exists() and settings.backup_folder:
        draft = settings.backups / f"{source.name}.new"
        draft.touch(mode=0o600)
        shutil.copyfile(source, draft)
        secret_files.publish(draft, settings.backups / source.name)


def _is_trial_due(settings: Settings, file: Path, last: DailyOutcome) -> bool:
    """Whether the last trial is a week old, and there is room for another. False for a server's dump."""
    has_room = shutil.disk_usage(settings.instance).free > 2 * file.stat().st_size
    is_file = bool(database.files(settings.database))
    return is_file and has_room and clock.now_ms() - last.tried_at >= TRIAL_DAYS * DAY_MS


def _try(programs: BackupPrograms, file: Path, result: DailyOutcome) -> DailyOutcome:
    """Restores a backup in a trial; returns the outcome. A failed trial is repeated with the next backup."""
    failure = programs.restore_in_trial(file)
    if failure:
        log.error("the daily backup does not restore")
        return replace(result, trial=failure)
    return replace(result, trial="", tried_at=clock.now_ms())
