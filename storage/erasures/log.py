"""The log of the addresses that were erased, unsubscribed or resubscribed. It outlives the database, for
restores.

It is a file of JSON lines. Where several hosts share the database, it is a table there instead.
"""

import fcntl
import logging
import mmap
import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, NamedTuple

import orjson

from storage import database
from storage.base_models import IdModel
from storage.database import execute, execute_many, rows
from storage.engines.chosen import engine
from storage.errors import DiskFault
from storage.sql import insert_into

ERASED, SUBSCRIBED, BEGINNING = "erased", "subscribed", "beginning"
UNSUBSCRIBED, UNSUBSCRIBED_BY_DATE = "unsubscribed", "unsubscribed by date"
ROTATED, REVOKED = "links rotated", "links revoked"
OF_LINKS = frozenset({ROTATED, REVOKED})
LASTING = (ERASED, BEGINNING, ROTATED, REVOKED)
LOG, MAX_LINE_BYTES = "erasures.log", 1024
CHECK = ',"check":'
NOT_LOGGED = "the disk took no line of %d subscribes: a restore unsubscribes them again, and counts them"
log = logging.getLogger(__name__)


class LogLine(NamedTuple):
    """An erasure, unsubscribe or resubscribe, by keyed hashes of the address and, if there was one, the
    subscriber's uuid.

    `at` is the instant that counts, in milliseconds; `shown_at` the one to show, if it differs. `logged_at`
    is when the line was written. `number` is that of the transaction in the order of acceptance.
    `pepper_check` is the check value of the pepper that made the hashes. Lines of an older Audience have at
    most the first five fields.

    Lines about links have no hash. Their `number` is a generation of links: after a rotation the current one,
    after a revocation the first valid one.

    The first line is the `BEGINNING`. Every change since its `at` has a line, unless a later line supersedes
    it. Lines outlive their site, for restores.
    """

    site_uuid: str
    address_hash: str
    at: int
    number: int | None = None
    pepper_check: str | None = None
    kind: str = ERASED
    person_hash: str | None = None
    shown_at: int | None = None
    logged_at: int | None = None

    @property
    def hashes(self) -> tuple[str, ...]:
        return (self.address_hash, self.person_hash) if self.person_hash else (self.address_hash,)


class LoggedErasureModel(IdModel, table="logged_erasures", record=LogLine):
    """The log as a table, which is empty if the log is a file."""

    class Meta:
        indexes = ((("site_uuid", "address_hash"), False), (("site_uuid", "person_hash"), False))


FIELDS = LogLine._fields
NULLABLE = frozenset(name for name, default in LogLine._field_defaults.items() if default is None)
NUMBERS = frozenset({"at", "number", "shown_at", "logged_at"})
COLUMNS = ", ".join(FIELDS)
ALL = f"SELECT {COLUMNS} FROM logged_erasures ORDER BY id"
ADD = insert_into("logged_erasures", FIELDS)


def is_table() -> bool:
    """Whether the log is a table of the database, because several hosts may share it; else it is a file."""
    return engine.HAS_HOSTS


def add(changes: Sequence[LogLine]) -> None:
    """Logs changes with the caller's transaction. In the table, an erasure replaces lines with its hashes."""
    if not is_table():
        database.at_commit(_Lines).changes.extend(changes)
        return
    erased = [(row.site_uuid, hash_) for row in changes if row.kind == ERASED for hash_ in row.hashes]
    for column in ("address_hash", "person_hash") if erased else ():
        forget = f"DELETE FROM logged_erasures WHERE site_uuid = ? AND {column} = ? AND kind <> '{ERASED}'"
        execute_many(forget, erased)
    execute_many(ADD, changes)


class _Lines:
    """The lines that one transaction adds to the file.

    Erasures and unsubscribes are written before the commit, resubscribes after it. So after a crash, nobody
    who is not subscribed is taken for subscribed.
    """

    def __init__(self) -> None:
        self.changes: list[LogLine] = []

    def before_commit(self) -> None:
        self._append([change for change in self.changes if change.kind != SUBSCRIBED])

    def after_commit(self) -> None:
        """Appends resubscribes that the transaction did not supersede. If the disk refuses, warns."""
        if all(change.kind != SUBSCRIBED for change in self.changes):
            return
        last = {hash_: change.kind for change in self.changes for hash_ in change.hashes}
        subscribed = [row for row in self.changes if {last[hash_] for hash_ in row.hashes} == {SUBSCRIBED}]
        try:
            self._append(subscribed)
        except DiskFault:
            log.warning(NOT_LOGGED, len(subscribed))

    def _append(self, changes: Sequence[LogLine]) -> None:
        if changes and (file := database.erasure_log()):
            append(file, changes)


def append(file: Path, changes: Iterable[LogLine]) -> None:
    """Appends lines to the file in one synced write. Overwrites an unfinished last line.

    Raises `DiskFault` if the disk refuses; no line was then added.
    """
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "r+b", buffering=0) as opened:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            length, is_whole = unfinished_line(opened)
            end = opened.seek(0 if is_whole else -length, os.SEEK_END)
            opened.truncate(end)
            try:
                _write(descriptor, ("\n" * is_whole + "".join(map(line, changes))).encode())
            except OSError:
                opened.truncate(end)
                raise
    except OSError as error:
        raise DiskFault(str(error)) from error


def unfinished_line(opened: IO[bytes]) -> tuple[int, bool]:
    """The (number of bytes after the last newline, whether they are a whole line without its newline)."""
    if not (size := os.fstat(opened.fileno()).st_size):
        return 0, False
    with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as octets:
        start = octets.rfind(b"\n") + 1
        last = octets[start : start + MAX_LINE_BYTES]
    return size - start, last.startswith(b"{") and last.endswith(b"}")


def _write(descriptor: int, octets: bytes) -> None:
    while octets:
        octets = octets[os.write(descriptor, octets) :]
    os.fsync(descriptor)


def line(change: LogLine) -> str:
    """The JSON line of a change, with a check value of its other fields."""
    text = _text(change)
    return f"{text[:-1]}{CHECK}{zlib.crc32(text.encode())}}}\n"


def is_altered(octets: bytes) -> bool:
    """Whether a line differs from what was written. False for lines of an older Audience: no check value.

    Raises `ValueError` if the check value cannot be read.
    """
    fields, has_check, value = octets.rstrip(b"\n").rpartition(CHECK.encode())
    return bool(has_check) and int(value[:-1]) != zlib.crc32(fields + b"}")


def _text(change: LogLine) -> str:
    """The fields of a change as JSON. Most are formatted here for speed: an import writes many, and no text
    has a quote.

    The first line makes an older Audience refuse the file, since it would take all lines for erasures.
    """
    site_uuid, address_hash, at, number, check_value, kind, person_hash, shown_at, logged_at = change
    if kind == BEGINNING or number is None or check_value is None or logged_at is None:
        fields = {name: value for name, value in zip(FIELDS, change, strict=True) if value or value == 0}
        return orjson.dumps(fields).decode()
    uuid_part = f',"person_hash":"{person_hash}"' if person_hash else ""
    shown_part = f',"shown_at":{shown_at}' if shown_at is not None else ""
    return (
        f'{{"site_uuid":"{site_uuid}","address_hash":"{address_hash}","at":{at},"number":{number},'
        f'"pepper_check":"{check_value}","kind":"{kind}"{uuid_part}{shown_part},"logged_at":{logged_at}}}'
    )


def list_all() -> list[LogLine]:
    """The lines of the table, oldest first."""
    return [LogLine(*record) for record in rows(ALL)]


def beginning() -> LogLine | None:
    """The `BEGINNING` of the table; None without one."""
    records = rows(
        f"SELECT {COLUMNS} FROM logged_erasures WHERE kind = '{BEGINNING}' ORDER BY id DESC LIMIT 1"
    )
    return LogLine(*records[0]) if records else None


def put_beginning(beginning: LogLine) -> None:
    """Replaces the `BEGINNING` of the table."""
    execute(f"DELETE FROM logged_erasures WHERE kind = '{BEGINNING}'")
    execute_many(ADD, [beginning])


def drop(before: int) -> int:
    """Deletes lines of the table logged before an instant, except `LASTING` kinds. Returns how many."""
    return execute(
        f"DELETE FROM logged_erasures WHERE logged_at < ? AND kind NOT IN {LASTING}",
        (before,),
    )
