"""Files that operators send: kept until they are imported, a day at most.

A file is kept in the instance's folder or, where several hosts share the database, in the database.
"""

import itertools
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

from audience import clock
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.errors import NotFound, Refused
from audience.privacy import secret_files
from schemas.codes import Code, Sentence
from schemas.values import compact_json
from storage import database
from storage.access import sites
from storage.imports import file_chunks
from storage.imports import file_uploads as stored
from storage.imports import imports as stored_imports
from storage.imports.file_uploads import ASKED, IMPORT, FileUpload, ImportedFile

__all__ = ["IMPORT", "FileUpload", "ImportedFile"]

FOLDER = "uploads"
KEPT_MS = 24 * 3_600_000
MOST_ASKED = 20  # files of a key and site that wait for answers
ASKED_MS = 3_600_000  # for which a file from a key waits for answers
MAX_NAME_LENGTH = 200
COPY_BYTES = file_chunks.CHUNK_BYTES
SMALL_BYTES = 2**16
PACKED = b"PK\x03\x04"
EMPTY = Sentence(Code.FILE_REFUSED, "The file is empty: choose another.")
ASKED_GONE = Sentence(
    Code.UPLOAD_NOT_FOUND,
    "No file waits under this upload: the file was imported, an hour has passed, or somebody in the file was "
    "erased. Send the file again.",
)
GONE = Sentence(
    Code.UPLOAD_NOT_FOUND,
    "This file is no longer here: it was imported or discarded, or a day has passed. Send it again.",
)


def keep(site: Site, instance: Path, name: str, source: IO[bytes], reading: Mapping[str, Any]) -> FileUpload:
    """Stores an uploaded file, adds it, and has a worker try to read it. Raises `Refused` if it is empty.

    Nobody sees it until it is stored whole.
    """
    file, at = secrets.token_hex(16), clock.now_ms()
    shown = Path(name.replace("\\", "/")).name.strip()[-MAX_NAME_LENGTH:] or "file"
    try:
        size = _keep_content(site, instance, file, source)
        with database.write(site.id):
            upload_id = stored.add(site.id, file, shown, size, compact_json(dict(reading)), at)
            return _require(site.id, upload_id)
    except Exception:
        (instance / FOLDER / file).unlink(missing_ok=True)
        raise


def keep_asked(site: Site, instance: Path, source: IO[bytes], key: str, reading: Mapping[str, Any]) -> int:
    """Keeps a file from an API key until its questions are answered, an hour at most. Returns its id.

    Beyond `MOST_ASKED` files of the key, the oldest are deleted. Raises `Refused` if it is empty.
    """
    file, at = secrets.token_hex(16), clock.now_ms()
    source.seek(0)
    size = _keep_content(site, instance, file, source)
    with database.write(site.id):
        upload_id = stored.add(site.id, file, ASKED, size, compact_json(dict(reading)), at, ASKED, key)
        oldest = stored.list_asked_by(site.id, key)[MOST_ASKED:]
    for upload in oldest:
        discard(site, instance, upload)
    return upload_id


@database.session()
def get_asked(site: Site, upload_id: int, key: str) -> FileUpload:
    """The file with this id from an API key, which waits for answers.

    Raises `NotFound`, also if it is too old or of another key.
    """
    upload = stored.get(site_id=site.id, id=upload_id)
    since = clock.now_ms() - ASKED_MS
    if (
        not upload
        or (upload.task, upload.actor) != (ASKED, key)
        or upload.created_at < since
        or not upload.file
    ):
        raise NotFound(ASKED_GONE)
    return upload


def _keep_content(site: Site, instance: Path, file: str, source: IO[bytes]) -> int:
    """Stores the content of a file. Returns its size in bytes. Raises `Refused` if it is empty."""
    if file_chunks.are_in_database():
        size = _keep_chunks(site, file, source)
    else:
        size = _keep_file(instance / FOLDER / file, source)
    if not size:
        raise Refused(EMPTY)
    return size


def _keep_chunks(site: Site, file: str, source: IO[bytes]) -> int:
    """Stores the chunks of a file in the database. Returns its size in bytes."""
    size = 0
    for number in itertools.count():
        content = source.read(COPY_BYTES)
        if not content:
            return size
        with database.write(site.id):
            file_chunks.add(site.id, file, number, content, clock.now_ms())
        size += len(content)
    return size


def _keep_file(file: Path, source: IO[bytes]) -> int:
    """Stores a file on disk. Returns its size in bytes."""
    file.parent.mkdir(mode=0o700, exist_ok=True)
    with open(file, "xb", opener=secret_files.private_opener) as target:
        shutil.copyfileobj(source, target, COPY_BYTES)
        target.flush()
        os.fsync(target.fileno())
        return target.tell()


@database.session()
def get(site: Site, upload_id: int) -> FileUpload:
    """A file from an operator. Raises `NotFound`."""
    upload = _require(site.id, upload_id)
    if upload.task == ASKED:
        raise NotFound(GONE)
    return upload


@database.session()
def list_waiting(site: Site) -> list[FileUpload]:
    """The files from operators that were not imported yet, newest first."""
    return stored.waiting(site.id)


def is_small(site: Site, instance: Path, upload: FileUpload) -> bool:
    """Whether a file is tried within the request: it is not large, and no workbook, which is packed.

    Raises `NotFound`.
    """
    if not upload.file or upload.bytes > SMALL_BYTES:
        return False
    with open_content(site, instance, upload) as binary:
        return binary.read(len(PACKED)) != PACKED


def reading_of(upload: FileUpload) -> dict[str, Any]:
    """The last answers about a file."""
    reading: dict[str, Any] = json.loads(upload.reading)
    return reading


def outcome_of(upload: FileUpload) -> dict[str, Any]:
    """What a worker has found in the file (`file_tasks.Task`); empty before that."""
    outcome: dict[str, Any] = json.loads(upload.outcome or "{}")
    return outcome


@database.writes_site
def put_reading(site: Site, upload_id: int, reading: Mapping[str, Any]) -> FileUpload:
    """Stores new answers about a file, and has a worker try them on the whole file. Raises `NotFound`.

    A file that is being imported, or was, keeps its answers.
    """
    stored.put_reading(site.id, upload_id, compact_json(dict(reading)))
    return _require(site.id, upload_id)


def begin_import(site: Site, instance: Path, upload: FileUpload, actor: Actor) -> None:
    """Has a worker import a file, unless that has begun. Keeps the file for a day from now.

    Raises `NotFound`.
    """
    try:
        os.utime(instance / FOLDER / upload.file)
    except FileNotFoundError:
        _require_chunks(site, upload)
    with database.write(site.id):
        stored.ask_import(site.id, upload.id, actor.name, actor.client_network)


@contextmanager
def open_content(site: Site, instance: Path, upload: FileUpload) -> Iterator[BinaryIO]:
    """Yields the content of a file, opened for reading. Raises `NotFound` if it is no longer kept."""
    if not upload.file:
        raise NotFound(GONE)
    with ExitStack() as stack:
        try:
            binary: BinaryIO = stack.enter_context((instance / FOLDER / upload.file).open("rb"))
        except FileNotFoundError:
            binary = stack.enter_context(tempfile.TemporaryFile(dir=instance))
            _put_together(site, upload, binary)
        yield binary


def _put_together(site: Site, upload: FileUpload, binary: BinaryIO) -> None:
    """Copies the chunks of a file from the database to `binary`. Raises `NotFound` without any."""
    with database.session():
        binary.writelines(file_chunks.read(site.id, upload.file))
    if not binary.tell():
        raise NotFound(GONE)
    binary.seek(0)


@database.session()
def _require_chunks(site: Site, upload: FileUpload) -> None:
    if next(file_chunks.read(site.id, upload.file), None) is None:
        raise NotFound(GONE)


def discard(site: Site, instance: Path, upload: FileUpload) -> bool:
    """Deletes an upload and its file. Returns False if another process has deleted it."""
    with database.write(site.id):
        first = stored.remove(site.id, upload.id)
    remove_file(site, instance, upload)
    return first


def remove_file(site: Site, instance: Path, upload: FileUpload) -> None:
    """Deletes the content of an upload, which itself stays."""
    if not upload.file:
        return
    with database.write(site.id):
        file_chunks.remove(site.id, upload.file)
    (instance / FOLDER / upload.file).unlink(missing_ok=True)


def put_file(site: Site, import_id: int, file: ImportedFile, actor: Actor) -> None:
    """Stores a file's name and answers with its import, in the caller's transaction.

    The audit log records the import.
    """
    import_ = stored_imports.get(site.id, import_id)
    rows = import_.rows + import_.refused if import_ else 0
    stored.add_file(file, site=site.id, import_id=import_id)
    typed = {"file": file.name, "consent": file.consent}
    typed = {name: value for name, value in typed.items() if value}
    audit_log.record(actor, "file imported", site, f"import {import_id}", rows, typed)


@database.session()
def files(site: Site, import_ids: Sequence[int]) -> dict[int, ImportedFile]:
    """The files of imports, by import id."""
    return stored.files(site.id, import_ids)


@database.session()
def imported_before(site: Site, digest: str) -> tuple[int, int] | None:
    """The (id, instant of acceptance) of the newest import of a file with this content; None without one."""
    return stored.imported_before(site.id, digest) if digest else None


def sweep(instance: Path, only_site: int | None = None) -> None:
    """Deletes files that were sent over a day ago and are not being imported."""
    before = clock.now_ms() - KEPT_MS
    _sweep_asked(instance, only_site)
    with database.session():
        site_ids = stored.sites_before(before) if only_site is None else [only_site]
    for site_id in site_ids:
        with database.write(site_id):
            stored.remove_before(site_id, before)
    with database.session():
        lost = file_chunks.without_file(before, only_site)
    for site_id, name in lost:
        with database.write(site_id):
            file_chunks.remove(site_id, name)
    for file in (instance / FOLDER).glob("*"):
        with suppress(FileNotFoundError):
            if file.stat().st_mtime * 1000 < before:
                file.unlink()


def _sweep_asked(instance: Path, only_site: int | None) -> None:
    with database.session():
        uploads = stored.list_asked_before(clock.now_ms() - ASKED_MS, only_site)
    for site_id, upload_id in uploads:
        with database.session():
            site, upload = sites.get(id=site_id), stored.get(site_id=site_id, id=upload_id)
        if site and upload:
            discard(site, instance, upload)


def _require(site_id: int, upload_id: int) -> FileUpload:
    upload = stored.get(site_id=site_id, id=upload_id)
    if upload is None:
        raise NotFound(GONE)
    return upload
