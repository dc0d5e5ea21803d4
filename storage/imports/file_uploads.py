"""Uploaded files that wait to be imported, and the names of imported files. Instants are in milliseconds."""

from collections.abc import Sequence
from typing import NamedTuple

from peewee import IntegerField

from storage import jobs
from storage.base_models import SiteOwnedModel
from storage.database import column, execute, row, rows
from storage.engines.chosen import engine
from storage.records import Records
from storage.sql import rows_of

JOB = "file"  # the kind of a job to search, try or import a file
FIRST = -1  # due before all other jobs of its site
TRY, IMPORT = "try", "import"  # tasks of a worker
ASKED = "asked"  # not for a worker: an API key sent the file, and its questions wait for answers
LEFT = f"created_at < ? AND task <> '{IMPORT}'"


class FileUpload(NamedTuple):
    """An uploaded file. `file` is its name in the folder of uploads, `name` the operator's. `reading` is
    JSON. `task` is what a worker should do with it, "" for nothing; `rows_done` is how many rows the worker
    has read. `import_id` is that of the import made of the file, or 0.

    `file` is empty if the file was deleted because it mentions an erased subscriber. `to_search` is the
    number of the first erasure for which the file must still be searched, or 0. `outcome` is what the last
    task found, or the current one so far: JSON, or empty.
    """

    id: int
    file: str
    name: str
    bytes: int
    reading: str
    created_at: int
    task: str
    actor: str
    client_network: str
    rows_done: int
    outcome: str
    import_id: int
    to_search: int

    @property
    def is_due(self) -> bool:
        """Whether a worker has something to do with the file. An imported one is deleted, not searched."""
        return self.task in (TRY, IMPORT) or (self.to_search > 0 and self.import_id == 0)


class FileUploadModel(SiteOwnedModel, table="file_uploads", record=FileUpload):
    class Meta:
        indexes = ((("site", "id"), False),)


UPLOADS = Records(FileUploadModel, FileUpload)
get = UPLOADS.get


def add(
    site_id: int, file: str, name: str, size: int, reading: str, at: int, task: str = TRY, actor: str = ""
) -> int:
    """Adds an uploaded file and, unless its questions wait for answers, a job for it. Returns its id."""
    upload_id = UPLOADS.add(
        site=site_id, file=file, name=name, bytes=size, reading=reading, created_at=at, task=task,
        actor=actor, client_network="", rows_done=0, outcome="", import_id=0, to_search=0,
    )  # fmt: skip
    if task != ASKED:
        jobs.add(site_id, JOB, upload_id)
    return upload_id


def waiting(site_id: int) -> list[FileUpload]:
    """A site's files from operators that are not imported yet, newest first."""
    return UPLOADS.find(f"AND task <> '{ASKED}' ORDER BY id DESC", site_id=site_id, import_id=0)


def list_asked_by(site_id: int, key: str) -> list[FileUpload]:
    """The files from an API key whose questions wait for answers, newest first."""
    return UPLOADS.find("ORDER BY id DESC", site_id=site_id, task=ASKED, actor=key)


def put_reading(site_id: int, upload_id: int, reading: str) -> None:
    """Replaces the reading of a file, and has a worker do a dry run of it.

    Does nothing if the file is being imported, was imported, or is deleted.
    """
    if execute(
        f"UPDATE file_uploads SET reading = ?, task = '{TRY}', rows_done = 0, outcome = '' "
        f"WHERE site_id = ? AND id = ? AND task <> '{IMPORT}' AND import_id = 0 AND file <> ''",
        (reading, site_id, upload_id),
    ):
        jobs.add(site_id, JOB, upload_id)


def ask_import(site_id: int, upload_id: int, actor: str, client_network: str) -> None:
    """Has a worker import a file before it does dry runs of others.

    Does nothing if the file is being imported, was imported, or is deleted.
    """
    if execute(
        f"UPDATE file_uploads SET task = '{IMPORT}', actor = ?, client_network = ?, rows_done = 0 "
        f"WHERE site_id = ? AND id = ? AND task <> '{IMPORT}' AND import_id = 0 AND file <> ''",
        (actor, client_network, site_id, upload_id),
    ):
        jobs.add(site_id, JOB, upload_id, now=FIRST)


def note(site_id: int, upload_id: int, rows_done: int, outcome: str) -> None:
    """Stores how many rows the current task has done, and what it has found so far."""
    UPLOADS.change({"rows_done": rows_done, "outcome": outcome}, site_id=site_id, id=upload_id)


def end(site_id: int, upload_id: int, outcome: str, import_id: int = 0) -> None:
    """Ends the task of a file. `import_id` is the id of the import made of it, or 0."""
    ended = {"task": "", "outcome": outcome, "import_id": import_id}
    UPLOADS.change(ended, site_id=site_id, id=upload_id)


def ask_search(site_id: int, number: int) -> None:
    """Has a worker search the waiting files for the subscribers that the erasure `number` erased.

    Their current tasks end first. A file that an earlier erasure has to search keeps that one's number.
    """
    waiting = "site_id = ? AND import_id = 0 AND file <> '' AND to_search = 0"
    execute(
        "INSERT INTO jobs (site_id, kind, subject, status) "
        f"SELECT site_id, '{JOB}', id, '{jobs.WAITING}' FROM file_uploads WHERE {waiting} "
        "ON CONFLICT (site_id, kind, subject) DO NOTHING",
        (site_id,),
    )
    execute(f"UPDATE file_uploads SET to_search = ? WHERE {waiting}", (number, site_id))


def list_asked_before(instant: int, site_id: int | None) -> list[tuple[int, int]]:
    """The (site id, id) of files of a site, or of all, from before an instant whose questions still wait for
    answers.
    """
    of = rows_of(site_id)
    query = f"SELECT site_id, id FROM file_uploads WHERE {of.text} AND task = '{ASKED}' AND created_at < ?"
    return rows(query, (*of.parameters, instant))


def put_searched(site_id: int, upload_id: int, later: int) -> None:
    """Ends a search of a file. `later` is the number of the next erasure to search for, or 0."""
    UPLOADS.change({"to_search": later}, site_id=site_id, id=upload_id)


def drop(site_id: int, upload_id: int, outcome: str) -> bool:
    """Marks a file as deleted, with the reason as `outcome`. Returns False if it was or is being imported."""
    count = execute(
        f"UPDATE file_uploads SET file = '', task = CASE task WHEN '{TRY}' THEN '' ELSE task END, "
        "outcome = ?, to_search = 0 "
        f"WHERE site_id = ? AND id = ? AND task <> '{IMPORT}' AND import_id = 0",
        (outcome, site_id, upload_id),
    )
    return count > 0


def remove(site_id: int, upload_id: int) -> bool:
    """Deletes an uploaded file's row and job. Returns False if it no longer exists."""
    jobs.remove(site_id, JOB, upload_id)
    return UPLOADS.delete(site_id=site_id, id=upload_id) > 0


def remove_before(site_id: int, instant: int) -> None:
    """Deletes the rows of files from before an instant, unless they are being imported."""
    execute(f"DELETE FROM file_uploads WHERE site_id = ? AND {LEFT}", (site_id, instant))


def sites_before(instant: int) -> list[int]:
    """The ids of sites with files from before an instant that are not being imported."""
    return column(f"SELECT DISTINCT site_id FROM file_uploads WHERE {LEFT}", (instant,))


class ImportedFile(NamedTuple):
    """The file of an import: its name, who sent it, and the answers to its questions.

    `consent` has the answers in words, `answers` as a line. `digest` is that of the content, "" if it was not
    computed.
    """

    name: str
    actor: str
    consent: str = ""
    answers: str = ""
    digest: str = ""


class ImportedFileModel(SiteOwnedModel, table="imported_files", record=ImportedFile):
    import_id = IntegerField()

    class Meta:
        indexes = ((("site", "import_id"), True), (("site", "digest"), False))


FILES = Records(ImportedFileModel, ImportedFile)
add_file = FILES.add_new


def files(site_id: int, import_ids: Sequence[int]) -> dict[int, ImportedFile]:
    """The files of imports, by import id."""
    among = engine.among(import_ids)
    records = FILES.select(f"import_id, {FILES.columns}", site_id=site_id, import_id=among)
    return {import_id: ImportedFile(*record) for import_id, *record in records}


def imported_before(site_id: int, digest: str) -> tuple[int, int] | None:
    """The (id, instant of acceptance) of the newest import of this content; None if there is none."""
    newest: tuple[int, int] | None = row(
        "SELECT i.id, i.created_at FROM imported_files AS f "
        "JOIN imports AS i ON i.site_id = f.site_id AND i.id = f.import_id "
        "WHERE f.site_id = ? AND f.digest = ? ORDER BY f.import_id DESC LIMIT 1",
        (site_id, digest),
    )
    return newest
