"""Files that wait to be imported, and the names of those that were. Instants are in milliseconds."""

from collections.abc import Sequence
from typing import NamedTuple

from storage import jobs
from storage.database import column, execute, row, rows
from storage.engines.chosen import engine
from storage.imports.models import FileUploadModel, ImportedFileModel
from storage.records import Records

JOB = "file"  # the kind of job of one that a worker is to search, try or import
FIRST = -1  # when a job is due that comes before all others of its site
TRY, IMPORT = "try", "import"  # tasks of a worker
ASKED = "asked"  # no task: of a file that a key sent, and that waits for answers
LEFT = f"created_at < ? AND task <> '{IMPORT}'"


class FileUpload(NamedTuple):
    """`file` is its name in the folder of uploads, `name` what the operator calls it; `reading` is JSON.

    `file` is empty once it was deleted because of somebody in it who was erased. `to_search` is the number of
    the first erasure that it is to be searched for, or 0.
    `outcome` is what the last task found, or this one has found so far, as JSON, or empty.
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
        """Whether a worker is to do something with it. An import deletes it: it is not searched."""
        return self.task in (TRY, IMPORT) or (self.to_search > 0 and self.import_id == 0)


UPLOADS = Records(FileUploadModel, FileUpload)
get = UPLOADS.get


def add(
    site_id: int, file: str, name: str, size: int, reading: str, at: int, task: str = TRY, actor: str = ""
) -> int:
    """Adds an uploaded file and, unless it waits for an answer, its job. Returns its id."""
    upload_id = UPLOADS.add(
        site=site_id, file=file, name=name, bytes=size, reading=reading, created_at=at, task=task,
        actor=actor, client_network="", rows_done=0, outcome="", import_id=0, to_search=0,
    )  # fmt: skip
    if task != ASKED:
        jobs.add(site_id, JOB, upload_id)
    return upload_id


def waiting(site_id: int) -> list[FileUpload]:
    """The files of a site that operators sent and did not import yet, newest first."""
    return UPLOADS.find(f"AND task <> '{ASKED}' ORDER BY id DESC", site_id=site_id, import_id=0)


def list_asked_by(site_id: int, key: str) -> list[FileUpload]:
    """The files of a key that wait for answers, newest first."""
    return UPLOADS.find("ORDER BY id DESC", site_id=site_id, task=ASKED, actor=key)


def put_reading(site_id: int, upload_id: int, reading: str) -> None:
    """Puts a new reading, to be tried, unless the file is being imported, was, or is deleted."""
    if execute(
        f"UPDATE file_uploads SET reading = ?, task = '{TRY}', rows_done = 0, outcome = '' "
        f"WHERE site_id = ? AND id = ? AND task <> '{IMPORT}' AND import_id = 0 AND file <> ''",
        (reading, site_id, upload_id),
    ):
        jobs.add(site_id, JOB, upload_id)


def ask_import(site_id: int, upload_id: int, actor: str, client_network: str) -> None:
    """Has a worker import a file, once, before it tries others."""
    if execute(
        f"UPDATE file_uploads SET task = '{IMPORT}', actor = ?, client_network = ?, rows_done = 0 "
        f"WHERE site_id = ? AND id = ? AND task <> '{IMPORT}' AND import_id = 0 AND file <> ''",
        (actor, client_network, site_id, upload_id),
    ):
        jobs.add(site_id, JOB, upload_id, now=FIRST)


def note(site_id: int, upload_id: int, rows_done: int, outcome: str) -> None:
    """Notes how far a task is, and what it found so far."""
    UPLOADS.change({"rows_done": rows_done, "outcome": outcome}, site_id=site_id, id=upload_id)


def end(site_id: int, upload_id: int, outcome: str, import_id: int = 0) -> None:
    """Ends a task."""
    ended = {"task": "", "outcome": outcome, "import_id": import_id}
    UPLOADS.change(ended, site_id=site_id, id=upload_id)


def ask_search(site_id: int, number: int) -> None:
    """Has a worker search the files that wait, as somebody is erased; once it has done what it does."""
    waiting = "site_id = ? AND import_id = 0 AND file <> '' AND to_search = 0"
    execute(
        "INSERT INTO jobs (site_id, kind, subject, status) "
        f"SELECT site_id, '{JOB}', id, '{jobs.WAITING}' FROM file_uploads WHERE {waiting} "
        "ON CONFLICT (site_id, kind, subject) DO NOTHING",
        (site_id,),
    )
    execute(f"UPDATE file_uploads SET to_search = ? WHERE {waiting}", (number, site_id))


def list_asked_before(instant: int) -> list[tuple[int, int]]:
    """(site id, id) of files that wait for answers since before an instant."""
    query = f"SELECT site_id, id FROM file_uploads WHERE task = '{ASKED}' AND created_at < ?"
    return rows(query, (instant,))


def put_searched(site_id: int, upload_id: int, later: int) -> None:
    """Ends a search; `later` is the number of the first erasure since it had begun, or 0."""
    UPLOADS.change({"to_search": later}, site_id=site_id, id=upload_id)


def drop(site_id: int, upload_id: int, outcome: str) -> bool:
    """Keeps of a file what it was and why it was deleted; False if it is being imported now."""
    count = execute(
        f"UPDATE file_uploads SET file = '', task = CASE task WHEN '{TRY}' THEN '' ELSE task END, "
        "outcome = ?, to_search = 0 "
        f"WHERE site_id = ? AND id = ? AND task <> '{IMPORT}' AND import_id = 0",
        (outcome, site_id, upload_id),
    )
    return count > 0


def remove(site_id: int, upload_id: int) -> bool:
    """Deletes a file that was sent; False if it no longer exists."""
    jobs.remove(site_id, JOB, upload_id)
    return UPLOADS.delete(site_id=site_id, id=upload_id) > 0


def remove_before(site_id: int, instant: int) -> None:
    execute(f"DELETE FROM file_uploads WHERE site_id = ? AND {LEFT}", (site_id, instant))


def sites_before(instant: int) -> list[int]:
    """The ids of sites with files that nobody imports, from before an instant."""
    return column(f"SELECT DISTINCT site_id FROM file_uploads WHERE {LEFT}", (instant,))


class ImportedFile(NamedTuple):
    """The file of an import: its name, who sent it, and what was answered: in words, and as a line.

    `digest` is of its content.
    """

    name: str
    actor: str
    consent: str = ""
    answers: str = ""
    digest: str = ""


FILES = Records(ImportedFileModel, ImportedFile)
add_file = FILES.add_new


def files(site_id: int, import_ids: Sequence[int]) -> dict[int, ImportedFile]:
    """The files of some imports, by the id of the import."""
    among = engine.among(import_ids)
    records = rows(
        f"SELECT import_id, {FILES.columns} FROM imported_files WHERE site_id = ? AND import_id {among.text}",
        [site_id, *among.parameters],
    )
    return {import_id: ImportedFile(*record) for import_id, *record in records}


def imported_before(site_id: int, digest: str) -> tuple[int, int] | None:
    """(id, when it was accepted) of the newest import of a file with this content."""
    newest: tuple[int, int] | None = row(
        "SELECT i.id, i.created_at FROM imported_files AS f "
        "JOIN imports AS i ON i.site_id = f.site_id AND i.id = f.import_id "
        "WHERE f.site_id = ? AND f.digest = ? ORDER BY f.import_id DESC LIMIT 1",
        (site_id, digest),
    )
    return newest
