"""The contents of files that operators send, as chunks in the database, because hosts share no folder."""

import itertools
from collections.abc import Iterator

from peewee import BigIntegerField, BlobField, IntegerField, TextField

from storage.base_models import SiteOwnedModel
from storage.database import execute, rows, value
from storage.engines.chosen import engine
from storage.sql import rows_of

CHUNK_BYTES = 2**20  # of all but the last


class FilePieceModel(SiteOwnedModel, table="file_pieces"):
    file = TextField()
    number = IntegerField()
    content = BlobField()
    created_at = BigIntegerField()

    class Meta:
        indexes = ((("site", "file", "number"), True),)


def are_in_database() -> bool:
    """Whether files are chunks in the database, because several hosts may share it; else in a folder."""
    return engine.HAS_HOSTS


def add(site_id: int, file: str, number: int, content: bytes, at: int) -> None:
    execute(
        "INSERT INTO file_pieces (site_id, file, number, content, created_at) VALUES (?, ?, ?, ?, ?)",
        (site_id, file, number, content, at),
    )


def read(site_id: int, file: str) -> Iterator[bytes]:
    """Yields the chunks of a file in order. The caller's session must stay open meanwhile."""
    query = "SELECT content FROM file_pieces WHERE site_id = ? AND file = ? AND number = ?"
    for number in itertools.count():
        content = value(query, (site_id, file, number), b"")
        if not content:
            return
        yield content


def remove(site_id: int, file: str) -> None:
    execute("DELETE FROM file_pieces WHERE site_id = ? AND file = ?", (site_id, file))


def without_file(before: int, site_id: int | None) -> list[tuple[int, str]]:
    """The (site id, file) of chunks of a site, or of all, from before an instant to which no row of
    `file_uploads` refers.
    """
    of = rows_of(site_id)
    return rows(
        f"SELECT DISTINCT site_id, file FROM file_pieces AS p WHERE {of.text} AND created_at < ? "
        "AND NOT EXISTS (SELECT 1 FROM file_uploads AS u WHERE u.site_id = p.site_id AND u.file = p.file)",
        (*of.parameters, before),
    )
