"""Backups: one file with the database and the pepper of an instance.

The file is an uncompressed tar archive, mode 0600: `manifest.json`, `pepper`, `audience.db`. On a server, the
last is `audience.dump`, for the server's own programs. A restore unpacks the archive into an instance of its
own, and migrates that. Then it repeats the erasures, unsubscribes and key revocations of the present instance
there. Only then does it replace the present instance.
"""

import contextlib
import hashlib
import io
import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from audience import clock
from audience.access import keys
from audience.config import Settings
from audience.erasures import log as erasure_log
from audience.errors import Refused
from audience.operations import instance_files, restore_carryover
from audience.operations.instance_files import LostFile
from audience.operations.openers import Openers
from audience.operations.restore_carryover import Carryover, CarryoverCounts
from audience.privacy import pepper, secret_files
from audience.protocols import Progress
from storage import database
from storage.errors import StatementError
from storage.instance import backups as stored
from storage.instance.backups import Contents

FORMAT = 1
DATABASE, DUMP = "audience.db", "audience.dump"
MANIFEST = "manifest.json"
SUBSCRIBERS = "subscribers"  # the table
CHUNK_BYTES = 2**20
TOO_OLD = (
    "The log of unsubscribes lacks {} day(s) after this backup: people who unsubscribed then would be "
    "subscribed again. Restore a newer backup, put the latest copy of erasures.log back, or use "
    "--unsubscribes-lost."
)
ALTERED = (
    "The backup cannot be restored completely: of {} subscribers, {} were erased since, but {} are "
    "there. Make another backup."
)
OF_SERVER = (
    "{} is the backup of a PostgreSQL database: name an empty database on a PostgreSQL server in "
    "AUDIENCE_DATABASE_URL."
)
NO_ROOM = "{:,} MB are free in {}, and a backup needs {:,} MB, twice the database"
NOT_A_BACKUP = "This is not a complete backup of Audience: "


@dataclass(frozen=True)
class Manifest:
    """The contents of a backup. `created_at` is in milliseconds.

    `rows` has the number of rows by table, `sha256` a digest by file.
    """

    format: int
    created_at: int
    migrations: list[str]
    rows: dict[str, int]
    sha256: dict[str, str]

    @property
    def data(self) -> str:
        """The name of the file in the backup that has the database: a copy, or a server's dump."""
        return DUMP if DUMP in self.sha256 else DATABASE


FORMS = {"format": int, "created_at": int, "migrations": list, "rows": dict, "sha256": dict}
INSTANTS = range(253_402_300_800_000)  # to the end of the year 9999


@dataclass(frozen=True)
class RestoreResult:
    """The result of a restore. `created_at` is the instant of the backup, and `rows` the number of rows by
    table.

    `erased` and `left` count the subscribers erased and unsubscribed again, `ended_keys` the keys revoked
    again, `paused_webhooks` the webhooks paused.

    `damaged` is true if the former database could not be read, `new` if there was no former instance. The log
    of erasures lacks `missing_days` after the backup, and ends with `cut_off_bytes` of an unfinished line.
    `unreadable_lines` counts its lines that could not be read.
    """

    created_at: int
    rows: dict[str, int]
    erased: int
    left: int
    ended_keys: int
    paused_webhooks: int
    damaged: bool
    missing_days: int
    new: bool
    cut_off_bytes: int
    unreadable_lines: int


def create(settings: Settings, file: Path, progress: Progress) -> Manifest:
    """Backs up the open instance, consistently while others write. Verifies the file before it gets its name.

    Raises `Refused` if the file exists or cannot be written, or if the program that dumps a
    server's database is missing; `Unusable` if the database is damaged.
    """
    if file.exists():
        raise Refused(f"{file} exists already: choose another name.")
    if not file.parent.is_dir():
        raise Refused(f"There is no folder {file.parent}: create it first.")
    data = DUMP if stored.restore_advice(settings.database) else DATABASE
    with os_errors_refused(file), secret_files.private_folder(file.parent) as folder:
        draft, at = folder / "draft.tar", clock.now_ms()
        stored.copy(folder / data, lambda done, total: progress("Copying", done, total))
        contents = Contents([], {}) if data == DUMP else stored.examine(folder / data)
        shutil.copyfile(settings.pepper, folder / pepper.FILE)
        sha256 = {name: _digest(folder / name) for name in (pepper.FILE, data)}
        manifest = Manifest(FORMAT, at, contents.migrations, contents.rows, sha256)
        _pack(draft, manifest, folder, progress)
        (folder / data).unlink()
        unpack(draft, folder, progress)
        secret_files.publish(draft, file)
    return manifest


def room_needed(settings: Settings) -> int:
    """The free bytes that making a backup needs: twice the database's size, or 0 if that is on a server."""
    return sum(2 * file.stat().st_size for file in database.files(settings.database)[:1] if file.exists())


def is_on_server(settings: Settings) -> bool:
    return not database.files(settings.database)


def refuse_server(settings: Settings) -> None:
    """Raises `Refused` if the database is on a server, which has backups of its own."""
    if advice := stored.restore_advice(settings.database):
        raise Refused(advice)


def _pack(draft: Path, manifest: Manifest, folder: Path, progress: Progress) -> None:
    with open(draft, "xb", opener=secret_files.private_opener) as raw:
        with tarfile.open(fileobj=raw, mode="w") as tar:
            _put(tar, MANIFEST, io.BytesIO(json.dumps(asdict(manifest), indent=2).encode()), manifest)
            _put(tar, pepper.FILE, io.BytesIO((folder / pepper.FILE).read_bytes()), manifest)
            with (folder / manifest.data).open("rb") as source:
                _put(tar, manifest.data, _ProgressReader(source, progress), manifest)
        raw.flush()
        os.fsync(raw.fileno())


def _put(tar: tarfile.TarFile, name: str, source: Any, manifest: Manifest) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = source.seek(0, os.SEEK_END)
    entry.mode, entry.mtime = 0o600, manifest.created_at // 1000
    source.seek(0)
    tar.addfile(entry, source)


class _ProgressReader:
    """A file that reports progress as it is read."""

    def __init__(self, source: IO[bytes], progress: Progress) -> None:
        self._source, self._progress = source, progress
        self._size = os.fstat(source.fileno()).st_size
        self.seek = source.seek

    def read(self, size: int = -1) -> bytes:
        chunk = self._source.read(size)
        self._progress("Writing", self._source.tell(), self._size)
        return chunk


def unpack(file: Path, folder: Path, progress: Progress) -> Manifest:
    """Unpacks a backup into `folder`, and verifies it.

    Raises `Refused` if it is incomplete, `Unusable` if damaged.
    """
    try:
        source = file.open("rb")
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}.") from error
    try:
        with source, tarfile.open(fileobj=source, mode="r:") as tar:
            manifest = _manifest(tar)
            _extract(tar, pepper.FILE, folder, manifest, lambda *_: None)
            _extract(tar, manifest.data, folder, manifest, progress)
    except (tarfile.TarError, KeyError, ValueError, TypeError, RecursionError) as error:
        raise Refused(f"{NOT_A_BACKUP}{file} cannot be read as a backup.") from error
    if manifest.data == DUMP:
        return manifest
    contents = stored.examine(folder / DATABASE)
    if (contents.migrations, contents.rows) != (manifest.migrations, manifest.rows):
        raise Refused(f"{NOT_A_BACKUP}the database and the manifest differ.")
    return manifest


def _manifest(tar: tarfile.TarFile) -> Manifest:
    """The manifest of a backup. Raises `Refused` if a newer Audience made it, `ValueError` if malformed."""
    values = json.loads(_member(tar, MANIFEST).read(CHUNK_BYTES))
    if values["format"] > FORMAT:
        raise Refused("The backup is newer than this Audience: upgrade Audience.")
    manifest = Manifest(**values)
    has_forms = all(type(getattr(manifest, name)) is kind for name, kind in FORMS.items())
    if not has_forms or manifest.created_at not in INSTANTS:
        raise ValueError(MANIFEST)
    return manifest


def _extract(tar: tarfile.TarFile, name: str, folder: Path, manifest: Manifest, progress: Progress) -> None:
    size, done = tar.getmember(name).size, 0
    source, digest = _member(tar, name), hashlib.sha256()
    with open(folder / name, "wb", opener=secret_files.private_opener) as file:
        while chunk := source.read(CHUNK_BYTES):
            file.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            progress("Reading", done, size)
    if digest.hexdigest() != manifest.sha256[name]:
        raise Refused(f"{NOT_A_BACKUP}{name} has changed since it was written.")


def _member(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    """A file in a backup. Raises `KeyError` if it is missing."""
    member = tar.extractfile(name)
    if member is None:
        raise KeyError(name)
    return member


def _digest(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


@contextlib.contextmanager
def os_errors_refused(file: Path) -> Iterator[None]:
    """Turns an `OSError` in the block, such as a full disk, into `Refused`."""
    try:
        yield
    except OSError as error:
        raise Refused(f"{error.filename or file} cannot be written: {error.strerror}.") from error


def restore(
    settings: Settings,
    file: Path,
    progress: Progress,
    openers: Openers,
    ignore_erasures: bool = False,
    unsubscribes_lost: bool = False,
) -> RestoreResult:
    """Replaces the instance by a backup, and opens it. The caller keeps the service from running.

    An interrupted restore has changed nothing, or can be run again. Raises `Unusable` if the backup is newer
    than this version, and `Unavailable` if a process uses the present database.

    Raises `Refused` if the file is no complete backup, or if the present instance's erasures do not match it
    and `ignore_erasures` is false. Also raises `Refused` if the present log of erasures begins after the
    backup or has unreadable lines, unless one of the flags is true.
    """
    refuse_server(settings)
    current = database.file(settings.database)
    current.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os_errors_refused(current), secret_files.private_folder(current.parent) as folder:
        manifest, carryover, applied = _prepare(
            settings, file, folder, progress, openers, ignore_erasures, unsubscribes_lost
        )
        rows = stored.examine(folder / DATABASE).rows
        stored.release(current)
        secret = (folder / pepper.FILE).read_bytes()
        if not carryover.is_log_of_another(pepper.check_value(secret)):
            erasure_log.merge(settings.instance, folder)
        pepper.put(settings.pepper, secret)
        stored.replace(current, folder / DATABASE)
    if carryover.is_log_of_another(pepper.check_value(secret)):
        secret_files.set_aside(settings.instance / erasure_log.LOG)
    return open_restored(settings, openers, manifest, rows, applied, carryover)


def open_restored(
    settings: Settings,
    openers: Openers,
    manifest: Manifest,
    rows: dict[str, int],
    applied: CarryoverCounts,
    carryover: Carryover,
) -> RestoreResult:
    """Opens the restored instance. Returns the result."""
    openers.process(settings)
    keys.forget_inactive_secret(settings.instance)
    return RestoreResult(
        manifest.created_at, rows, *applied, carryover.damaged, carryover.missing_days, carryover.is_new,
        carryover.cut_off, len(carryover.unreadable),
    )  # fmt: skip


def refuse_lacking_columns() -> None:
    if lacking := stored.missing_columns():
        raise Refused(f"{NOT_A_BACKUP}its database lacks {lacking[0]}.")


def _prepare(
    settings: Settings,
    file: Path,
    folder: Path,
    progress: Progress,
    openers: Openers,
    ignore_erasures: bool = False,
    unsubscribes_lost: bool = False,
) -> tuple[Manifest, Carryover, CarryoverCounts]:
    """Prepares the restored instance in `folder`. Elsewhere, it only completes a log of erasures with gaps.

    Raises as `restore`.
    """
    manifest = unpack(file, folder, progress)
    if manifest.data == DUMP:
        raise Refused(OF_SERVER.format(file))
    accepted = stored.accepted_numbers(folder / DATABASE)
    carryover = restore_carryover.read(settings, manifest.created_at, accepted, openers)
    applied = _bring_up_to_date(folder, settings, openers, carryover, ignore_erasures)
    if not (unsubscribes_lost or ignore_erasures):
        refuse_gaps(settings, carryover)
    return manifest, carryover, applied


def check(
    settings: Settings, file: Path, progress: Progress, openers: Openers, restored: bool = False
) -> Manifest:
    """Reads a backup whole. With `restored`, restores it into a temporary folder and counts subscribers.

    The folder is private, and no process works on its content. Raises as `restore`.
    """
    if restored:
        refuse_server(settings)
    with os_errors_refused(file), secret_files.private_folder(settings.instance) as folder:
        if not restored:
            return unpack(file, folder, progress)
        manifest, _, applied = _prepare(settings, file, folder, progress, openers)
        rows, there = manifest.rows[SUBSCRIBERS], stored.examine(folder / DATABASE).rows[SUBSCRIBERS]
        if rows - applied.erased != there:
            raise Refused(ALTERED.format(rows, applied.erased, there))
    return manifest


def refuse_gaps(settings: Settings, carryover: Carryover) -> None:
    """Raises `Refused` if the log of erasures has unreadable lines or, unless it is new, lacks days."""
    if carryover.unreadable:
        log = settings.instance / erasure_log.LOG
        raise Refused(erasure_log.UNREADABLE.format(log, carryover.unreadable[0]))
    if carryover.missing_days and not carryover.is_new:
        raise Refused(TOO_OLD.format(carryover.missing_days))


def _bring_up_to_date(
    folder: Path, settings: Settings, openers: Openers, carryover: Carryover, ignore_erasures: bool
) -> CarryoverCounts:
    """Migrates the unpacked instance in `folder`, and applies the carryover to it."""
    try:
        openers.process(replace(settings, instance=folder, database_url="", pepper_file=""))
        database.migrate()
        refuse_lacking_columns()
        instance_files.adopt_pepper()
        return restore_carryover.apply(carryover, ignore_erasures)
    except LostFile as error:
        raise Refused(f"{NOT_A_BACKUP}its pepper is not its database's.") from error
    except StatementError as error:
        raise Refused(f"{NOT_A_BACKUP}its database is not Audience's ({error}).") from error
    finally:
        database.close()
