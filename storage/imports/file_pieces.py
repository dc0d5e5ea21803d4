"""The contents of files that operators send, in pieces, where hosts do not share a folder."""

import itertools
from collections.abc import Iterator, Sequence

from storage.database import execute, rows, value
from storage.engines.chosen import engine

PIECE_BYTES = 2**20  # of all but the last


def are_kept() -> bool:
    """Whether files are kept in the database: several hosts may have it open."""
    return engine.HAS_HOSTS


def add(site_id: int, file: str, number: int, content: bytes, at: int) -> None:
    execute(
        "INSERT INTO file_pieces (site_id, file, number, content, created_at) VALUES (?, ?, ?, ?, ?)",
        (site_id, file, number, content, at),
    )


def read(site_id: int, file: str) -> Iterator[bytes]:
    """The chunks of a file, in order, in the caller's session."""
    for number in itertools.count():
        if (content := _piece(site_id, file, number)) is None:
            return
        yield content


def _piece(site_id: int, file: str, number: int) -> bytes | None:
    query = "SELECT content FROM file_pieces WHERE site_id = ? AND file = ? AND number = ?"
    return value(query, (site_id, file, number), None)


def overwrite(site_id: int, file: str, parts: Sequence[tuple[int, bytes]]) -> None:
    """Overwrites bytes of a file. `parts` has (position, bytes); each stored chunk is written once."""
    changed: dict[int, bytearray] = {}
    for number, offset, part in itertools.chain.from_iterable(
        _parts(*offset_and_content) for offset_and_content in parts
    ):
        if number not in changed:
            changed[number] = bytearray(_piece(site_id, file, number) or b"")
        changed[number][offset : offset + len(part)] = part
    for number, content in changed.items():
        execute(
            "UPDATE file_pieces SET content = ? WHERE site_id = ? AND file = ? AND number = ?",
            (bytes(content), site_id, file, number),
        )


def _parts(start: int, content: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The (number of the chunk, offset in it, bytes) of content that may reach over several chunks."""
    while content:
        number, offset = divmod(start, PIECE_BYTES)
        part = content[: PIECE_BYTES - offset]
        yield number, offset, part
        start, content = start + len(part), content[len(part) :]


def remove(site_id: int, file: str) -> None:
    execute("DELETE FROM file_pieces WHERE site_id = ? AND file = ?", (site_id, file))


def without_file(before: int) -> list[tuple[int, str]]:
    """The (site id, file) of chunks from before an instant, in milliseconds, whose file is not in
    `file_uploads`.
    """
    return rows(
        "SELECT DISTINCT site_id, file FROM file_pieces AS p WHERE created_at < ? AND NOT EXISTS "
        "(SELECT 1 FROM file_uploads AS u WHERE u.site_id = p.site_id AND u.file = p.file)",
        (before,),
    )
