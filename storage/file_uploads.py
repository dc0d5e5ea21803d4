"""Files that wait to be imported, and the names of those that were. Instants are in milliseconds."""

from collections.abc import Sequence
from typing import NamedTuple

from storage.database import execute, marks, row, rows
from storage.file_upload_models import FileUploadModel

COLUMNS = "id, file, name, bytes, reading, created_at"


class FileUpload(NamedTuple):
    """`file` is its name in the folder of uploads, `name` what the operator calls it; `reading` is JSON."""

    id: int
    file: str
    name: str
    bytes: int
    reading: str
    created_at: int


def add(site_id: int, file: str, name: str, size: int, reading: str, at: int) -> int:
    upload_id: int = FileUploadModel.insert(
        site=site_id, file=file, name=name, bytes=size, reading=reading, created_at=at
    ).execute()
    return upload_id


def get(site_id: int, upload_id: int) -> FileUpload | None:
    record = row(f"SELECT {COLUMNS} FROM file_uploads WHERE site_id = ? AND id = ?", (site_id, upload_id))
    return record and FileUpload(*record)


def waiting(site_id: int) -> list[FileUpload]:
    """Newest first."""
    records = rows(f"SELECT {COLUMNS} FROM file_uploads WHERE site_id = ? ORDER BY id DESC", (site_id,))
    return [FileUpload(*record) for record in records]


def put_reading(site_id: int, upload_id: int, reading: str) -> None:
    execute("UPDATE file_uploads SET reading = ? WHERE site_id = ? AND id = ?", (reading, site_id, upload_id))


def remove(site_id: int, upload_id: int) -> bool:
    """False if it is gone already."""
    return bool(execute("DELETE FROM file_uploads WHERE site_id = ? AND id = ?", (site_id, upload_id)))


def remove_before(instant: int) -> None:
    execute("DELETE FROM file_uploads WHERE created_at < ?", (instant,))


def any_before(instant: int) -> bool:
    return row("SELECT 1 FROM file_uploads WHERE created_at < ? LIMIT 1", (instant,)) is not None


def put_name(site_id: int, import_id: int, name: str, actor: str) -> None:
    execute(
        "INSERT INTO imported_files (site_id, import_id, name, actor) VALUES (?, ?, ?, ?)",
        (site_id, import_id, name, actor),
    )


def names(site_id: int, import_ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """(name of the file, who sent it) by the id of the import."""
    found = rows(
        f"SELECT import_id, name, actor FROM imported_files WHERE site_id = ? AND import_id IN "
        f"({marks(import_ids)})",
        [site_id, *import_ids],
    )
    return {import_id: (name, actor) for import_id, name, actor in found}
