"""One file that holds a whole instance: its database and its pepper.

It is a plain tar archive, 0600: `manifest.json`, `pepper`, `audience.db`. Restoring treats what it unpacks as
an instance of its own, brings it up to date, lets it forget whom the present instance has forgotten and end
the keys that have ended, and only then puts it in the present one's place.
"""

import contextlib
import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from audience import clock, lasting, pepper
from audience.config import Settings
from audience.errors import Refused
from audience.lasting import Lasting
from audience.ports import Progress
from storage import backups as stored
from storage import database

FORMAT = 1
DATABASE = "audience.db"
MANIFEST = "manifest.json"
PIECE = 2**20
ODD = "This is not a whole backup of Audience: "


@dataclass(frozen=True)
class Manifest:
    """What a backup holds: `created_at` in milliseconds, rows by table, SHA-256 by file."""

    format: int
    created_at: int
    migrations: list[str]
    rows: dict[str, int]
    sha256: dict[str, str]


@dataclass(frozen=True)
class Restored:
    """`erased` people of the backup have been erased since, `ended_keys` have ended since: both stay so."""

    created_at: int
    rows: dict[str, int]
    erased: int
    ended_keys: int
    damaged: bool


def create(settings: Settings, file: Path, progress: Progress) -> Manifest:
    """Backs the open instance up, consistent under writes, and reads the file back before it gets its name.

    Raises `Refused` when the file exists, `Unusable` when the database is damaged.
    """
    if file.exists():
        raise Refused(f"{file} exists already: choose another name.")
    if not file.parent.is_dir():
        raise Refused(f"There is no folder {file.parent}: make it first.")
    with _told(file), _private_folder(file.parent) as folder:
        copy, draft = folder / DATABASE, folder / "draft.tar"
        at = clock.now()
        with database.snapshot():
            stored.copy(copy, lambda done, total: progress("Copying", done, total))
        shutil.copyfile(settings.instance / pepper.FILE, folder / pepper.FILE)
        contents = stored.examine(copy)
        sha256 = {name: _digest(folder / name) for name in (pepper.FILE, DATABASE)}
        manifest = Manifest(FORMAT, at, contents.migrations, contents.rows, sha256)
        _pack(draft, manifest, folder, progress)
        copy.unlink()
        _unpack(draft, folder, progress)
        draft.replace(file)
    return manifest


def _pack(draft: Path, manifest: Manifest, folder: Path, progress: Progress) -> None:
    with open(draft, "xb", opener=_private) as raw:
        with tarfile.open(fileobj=raw, mode="w") as tar:
            _put(tar, MANIFEST, io.BytesIO(json.dumps(asdict(manifest), indent=2).encode()), manifest)
            _put(tar, pepper.FILE, io.BytesIO((folder / pepper.FILE).read_bytes()), manifest)
            with (folder / DATABASE).open("rb") as source:
                _put(tar, DATABASE, _Watched(source, progress), manifest)
        raw.flush()
        os.fsync(raw.fileno())


def _put(tar: tarfile.TarFile, name: str, source: Any, manifest: Manifest) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = source.seek(0, os.SEEK_END)
    entry.mode, entry.mtime = 0o600, manifest.created_at // 1000
    source.seek(0)
    tar.addfile(entry, source)


class _Watched:
    """A file that tells how far it has been read."""

    def __init__(self, source: IO[bytes], progress: Progress) -> None:
        self._source, self._progress = source, progress
        self._size = os.fstat(source.fileno()).st_size
        self.seek = source.seek

    def read(self, size: int = -1) -> bytes:
        piece = self._source.read(size)
        self._progress("Writing", self._source.tell(), self._size)
        return piece


def _unpack(file: Path, folder: Path, progress: Progress) -> Manifest:
    """Unpacks and checks a backup. Raises `Refused` when it is not whole, `Unusable` when it is damaged."""
    try:
        source = file.open("rb")
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}.") from error
    try:
        with source, tarfile.open(fileobj=source, mode="r:") as tar:
            manifest = _manifest(tar)
            _extract(tar, pepper.FILE, folder, manifest, lambda *_: None)
            _extract(tar, DATABASE, folder, manifest, progress)
    except (tarfile.TarError, KeyError, ValueError, TypeError) as error:
        raise Refused(f"{ODD}{file} cannot be read as one.") from error
    contents = stored.examine(folder / DATABASE)
    if (contents.migrations, contents.rows) != (manifest.migrations, manifest.rows):
        raise Refused(f"{ODD}the database does not have the rows that its list says.")
    return manifest


def _manifest(tar: tarfile.TarFile) -> Manifest:
    found = json.load(_member(tar, MANIFEST))
    if found["format"] > FORMAT:
        raise Refused("The backup is newer than this Audience: upgrade Audience.")
    return Manifest(**found)


def _extract(tar: tarfile.TarFile, name: str, folder: Path, manifest: Manifest, progress: Progress) -> None:
    size, done = tar.getmember(name).size, 0
    source, digest = _member(tar, name), hashlib.sha256()
    with open(folder / name, "wb", opener=_private) as written:
        while piece := source.read(PIECE):
            written.write(piece)
            digest.update(piece)
            done += len(piece)
            progress("Reading", done, size)
    if digest.hexdigest() != manifest.sha256[name]:
        raise Refused(f"{ODD}{name} has changed since it was written.")


def _member(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    member = tar.extractfile(name)
    if member is None:
        raise KeyError(name)
    return member


def _digest(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextlib.contextmanager
def _told(file: Path) -> Iterator[None]:
    """A full or refusing disk is a sentence for the operator."""
    try:
        yield
    except OSError as error:
        raise Refused(f"{error.filename or file} cannot be written: {error.strerror}.") from error


@contextlib.contextmanager
def _private_folder(beside: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=".audience-", dir=beside) as folder:
        yield Path(folder)


def restore(settings: Settings, file: Path, progress: Progress, ignore_erasures: bool = False) -> Restored:
    """Replaces the instance by a backup. The caller keeps the service from running, and opens it afterwards.

    Cut off before its end it has changed nothing, or is to be run again. Raises `Refused` when the file is no
    whole backup, or when erasures of the present instance cannot be matched with it; `Unusable` when it is
    newer than this Audience; `Unavailable` when a process still uses the present database.
    """
    current = database.file(settings.database)
    current.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _told(current), _private_folder(current.parent) as folder:
        manifest = _unpack(file, folder, progress)
        lasting_here = lasting.read(settings, manifest.created_at)
        erased, ended = _bring_up_to_date(folder, settings, lasting_here, ignore_erasures)
        rows = stored.examine(folder / DATABASE).rows
        stored.release(current)
        pepper.put(settings.instance, (folder / pepper.FILE).read_bytes())
        stored.replace(current, folder / DATABASE)
    return Restored(manifest.created_at, rows, erased, ended, lasting_here.damaged)


def _bring_up_to_date(
    folder: Path, settings: Settings, present: Lasting, ignore_erasures: bool
) -> tuple[int, int]:
    """How many people were erased and keys ended in what was unpacked."""
    pepper.open(folder)
    database.open(f"sqlite:///{folder / DATABASE}", allow_faulty=settings.allow_faulty_sqlite)
    try:
        database.migrate()
        return lasting.apply(present, (folder / pepper.FILE).read_bytes(), ignore_erasures)
    finally:
        database.close()
