"""The log of who was erased, unsubscribed and resubscribed. It outlives the database, so that a restore can
repeat it.

The log is a file of JSON lines in the instance's folder or, where several hosts share the database, a table
there.
"""

import contextlib
import json
import mmap
import os
import secrets
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any

import orjson

from audience import clock
from audience.changes import consents
from audience.clock import DAY_MS
from audience.errors import Refused
from audience.links import generations
from audience.privacy import pepper, secret_files
from storage import database
from storage.access import site_counters
from storage.access import sites as stored_sites
from storage.erasures import log as stored
from storage.erasures import suppressions
from storage.erasures.log import BEGINNING, ERASED, LASTING, MAX_LINE_BYTES
from storage.erasures.log import LOG as LOG
from storage.erasures.log import LogLine as LogLine
from storage.errors import Unavailable
from storage.subscribers import subscribers as stored_subscribers

CHUNK_ROWS, COPIED_BYTES = 1_000, 2**20
NO_LOG = "{} is no log of erasures: name one that `audience erasures export` wrote."
UNREADABLE = (
    "{} cannot be read at line {}: put the latest copy of the file back. Otherwise delete the line, "
    "or use `audience restore --unsubscribes-lost`, which skips such lines: people named in them may then "
    "come back, or be subscribed again."
)
CUT_OFF = (
    "The last line of the log is cut off after {} bytes, and was not read. After a crash, this is "
    "harmless. If you copied the file, copy it again and repeat this command: people named in the missing "
    "part were not erased or unsubscribed."
)


def list_all(instance: Path, unreadable: list[int] | None = None) -> list[LogLine]:
    """All lines of the log, oldest first. Numbers of unreadable lines are added to `unreadable`, as in
    `read`.
    """
    if not stored.is_table():
        return list(read(instance / LOG, unreadable=unreadable))
    with database.session():
        return list(merge_pairs(stored.list_all()))


def missing(instance: Path, changes: Iterable[LogLine]) -> list[LogLine]:
    """Those of the lines that the log lacks."""
    logged = set(list_all(instance))
    return [change for change in changes if change not in logged and change.kind != BEGINNING]


def file_of(instance: Path) -> Path | None:
    """The file of the log; None if the log is a table."""
    return None if stored.is_table() else instance / LOG


def begin(instance: Path) -> None:
    """Begins the log, unless it has begun, with all who are unsubscribed or erased now."""
    if is_begun(instance):
        return
    with database.write():
        if not is_begun(instance):
            complete(instance)


def is_begun(instance: Path) -> bool:
    return beginning(instance) is not None


def beginning(instance: Path) -> LogLine | None:
    """The first line of the log. The log is complete since its `at`."""
    if stored.is_table():
        with database.session():
            return stored.beginning()
    return _beginning(instance / LOG)


def _beginning(log: Path) -> LogLine | None:
    if not log.exists():
        return None
    with log.open("rb") as file:
        entry = _entry(file.readline(MAX_LINE_BYTES))
    return _change(entry) if entry.get("kind") == BEGINNING else None


def uncovered_ms(log: Path, since: int) -> int:
    """The milliseconds from the instant `since` to the beginning of the log, or to now without one; 0 if it
    began earlier.
    """
    first = _beginning(log)
    return clock.now_ms() - since if first is None else max(0, first.at - since)


def complete(instance: Path) -> None:
    """Completes the log, in the caller's transaction: adds all who are unsubscribed or erased now."""
    now = clock.now_ms()
    first = LogLine("", "", 0, None, pepper.check_value(), BEGINNING, logged_at=now)
    older = [change for change in list_all(instance, unreadable=[]) if change.kind != BEGINNING]
    more = _current_lines({change.address_hash for change in older if change.kind == ERASED})
    if stored.is_table():
        stored.put_beginning(first)
        stored.add(list(more))
    else:
        write(instance / LOG, chain([first], older, more))


def _current_lines(erased: Collection[str]) -> Iterator[LogLine]:
    """Yields lines of all who are unsubscribed now, or erased but not in `erased`, and of valid links."""
    for site in stored_sites.list_all():
        number, last = site_counters.newest_accepted_number(site.id), 0
        records = suppressions.all_of_site(site.id).items()
        yield from generations.lines(site.uuid, generations.read(site.id).current)
        suppressed = {hash_: row for hash_, row in records if row.reason != ERASED or hash_ not in erased}
        yield from consents.log_lines(site.id, number, consents.of_suppressions(suppressed))
        while subscribers := stored_subscribers.unsubscribed_after(site.id, last, CHUNK_ROWS):
            last = subscribers[-1].id
            yield from consents.log_lines(site.id, number, consents.of_subscribers(site.id, subscribers))


def merge(instance: Path, restored: Path) -> None:
    """Adds to the log what was logged in the folder `restored`, where a backup was brought up to date.

    Unreadable lines of the log are dropped; the log then begins anew at the next start.
    """
    log, unreadable = instance / LOG, list[int]()
    lines = list(read(log, unreadable=unreadable))
    if unreadable:
        write(log, (change for change in lines if change.kind != BEGINNING))
    if changes := list(read(restored / LOG)):
        stored.append(log, changes)


def forget(instance: Path, hashes: Collection[str] = ()) -> None:
    """Removes the lines from before the erasure of these hashes from the log file or, without hashes, those
    of all erased subscribers. If that fails, the daily sweep does it.
    """
    log = file_of(instance)
    with contextlib.suppress(OSError, Refused, Unavailable):
        if log and not hashes:
            compact(log)
        elif log and _superseded(log, hashes):
            _cut_out(log, hashes)


def _cut_out(log: Path, hashes: Collection[str]) -> None:
    """Rewrites the file without the lines from before the erasure of these hashes. Reads no other line."""
    with _rewriting(log) as (draft, size), log.open("rb") as file:
        start, spans = 0, [span for span in _superseded(log, hashes) if span[1] <= size]
        for end, next_start in [*spans, (size, size)]:
            file.seek(start)
            while octets := file.read(min(COPIED_BYTES, end - file.tell())):
                draft.write(octets)
            start = next_start


def _superseded(log: Path, hashes: Collection[str]) -> list[tuple[int, int]]:
    """Where the lines begin and end that are from before the erasure of one of these hashes."""
    spans = set[tuple[int, int]]()
    with log.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as octets:
        for hash_ in hashes:
            end, before = 0, list[tuple[int, int]]()
            while (found := octets.find(hash_.encode(), end)) >= 0:
                octets.seek(octets.rfind(b"\n", 0, found) + 1)
                start, kind = octets.tell(), _entry(octets.readline()).get("kind", ERASED)
                end = octets.tell()
                if kind == ERASED:
                    spans.update(before)
                else:
                    before.append((start, end))
    return sorted(spans)


def sweep(instance: Path, days: int) -> bool:
    """Once a day, drops what was logged more than `days` ago, except erasures. Always returns False."""
    first, now = beginning(instance), clock.now_ms()
    if first is None or now - (first.logged_at or 0) < DAY_MS:
        return False
    before = now - days * DAY_MS
    if not stored.is_table():
        compact(instance / LOG, before)
        return False
    with database.write(database.SHARED):
        since = before if stored.drop(before) else first.at
        stored.put_beginning(first._replace(at=since, logged_at=now))
    return False


def compact(log: Path, before: int = 0) -> None:
    """Rewrites the file without lines logged before an instant, and lines of erased subscribers. Erasures
    stay.
    """
    if (first := _beginning(log)) is None:
        return
    with _rewriting(log) as (draft, size):
        changes = _remaining(first, partial(read, log, size), before)
        draft.writelines(stored.line(change).encode() for change in changes)


def _remaining(first: LogLine, changes: Callable[[], Iterator[LogLine]], before: int) -> Iterator[LogLine]:
    """The lines of a log that `compact` leaves, `first` being its first; `changes` reads them all."""
    erased = {hash_: n for n, row in enumerate(changes()) if row.kind == ERASED for hash_ in row.hashes}

    def is_dropped(n: int, row: LogLine) -> bool:
        is_erased = any(erased.get(hash_, -1) > n for hash_ in row.hashes)
        return row.kind == BEGINNING or (row.kind != ERASED and (is_erased or _is_old(row, before)))

    is_any_old = any(_is_old(change, before) for change in changes())
    yield first._replace(
        at=before if is_any_old else first.at, logged_at=clock.now_ms() if before else first.logged_at
    )
    yield from (row for n, row in enumerate(changes()) if not is_dropped(n, row))


@contextlib.contextmanager
def _rewriting(log: Path) -> Iterator[tuple[IO[bytes], int]]:
    """Yields (draft, size): the caller writes what stays of the first `size` bytes of the file to the draft.
    The draft then replaces the file, with what was appended since.

    A process that appends at the same time waits only for the last step.
    """
    stored.append(log, [])  # ends its last line
    was = log.stat()
    with _draft(log, ()) as draft:
        yield draft, was.st_size
        draft.flush()
        os.fsync(draft.fileno())  # before others wait
        with database.write(database.SHARED):
            if log.stat().st_ino == was.st_ino:
                with log.open("rb") as file:
                    file.seek(was.st_size)
                    shutil.copyfileobj(file, draft)
                _publish(draft, log)


def _is_old(change: LogLine, before: int) -> bool:
    return change.kind not in LASTING and (change.logged_at or 0) < before


@contextlib.contextmanager
def _draft(log: Path, changes: Iterable[LogLine]) -> Iterator[IO[bytes]]:
    """Yields a private file beside the log with these lines. It is deleted at the end, unless published."""
    draft = log.with_name(f"{log.name}.{secrets.token_hex(4)}.new")
    try:
        with open(draft, "xb", opener=secret_files.private_opener) as file:
            file.writelines(stored.line(change).encode() for change in changes)
            yield file
    finally:
        draft.unlink(missing_ok=True)


def _publish(draft: IO[bytes], log: Path) -> None:
    """Replaces the log by the draft, once that is on disk."""
    draft.flush()
    os.fsync(draft.fileno())
    secret_files.publish(Path(draft.name), log)


def write(file: Path, changes: Iterable[LogLine]) -> None:
    """Replaces a private file by one with these lines."""
    with _draft(file, changes) as draft:
        _publish(draft, file)


def read(log: Path, size: int | None = None, unreadable: list[int] | None = None) -> Iterator[LogLine]:
    """Yields the lines of a log file, or of its first `size` bytes; none if it does not exist.

    The numbers of unreadable lines are added to `unreadable`. Without that list, the first such line raises
    `Refused`.
    """
    return merge_pairs(_read(log, size, unreadable))


def _read(log: Path, size: int | None, unreadable: list[int] | None) -> Iterator[LogLine]:
    """Yields the same as `read`, but old pairs of lines unmerged. An unfinished last line is left out."""
    if not log.exists():
        return
    end = 0
    with log.open("rb") as file:
        for number, line in enumerate(file, 1):
            end += len(line)
            if size is not None and end > size:
                return
            try:
                if b"\\" in line or stored.is_altered(line):  # no text has a quote
                    raise ValueError
                yield _change(orjson.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                if number == 1 and not line.isascii() and unreadable is None:
                    raise Refused(NO_LOG.format(log)) from None
                if not line.endswith(b"\n"):
                    return
                if unreadable is None:
                    raise Refused(UNREADABLE.format(log, number)) from error
                unreadable.append(number)


def unfinished_bytes(log: Path) -> int:
    """The bytes of an unfinished last line, which is not read; 0 if the last line is whole."""
    if not log.exists():
        return 0
    with log.open("rb") as file:
        length, is_whole = stored.unfinished_line(file)
    return 0 if is_whole else length


def _change(entry: Any) -> LogLine:
    blank = {"site_uuid": "", "address_hash": ""} if entry.get("kind") == BEGINNING else {}
    fields = {name: entry[name] for name in LogLine._fields if name in entry}
    for name, value in fields.items():
        is_null = value is None and name in stored.NULLABLE
        if not is_null and type(value) is not (int if name in stored.NUMBERS else str):
            raise TypeError(name)
    values: dict[str, Any] = blank | fields
    return LogLine(**values)


def merge_pairs(changes: Iterable[LogLine]) -> Iterator[LogLine]:
    """Yields the lines. Of an older Audience, merges each pair: the two hashes of a change had a line
    each.
    """
    first = None
    for change in changes:
        is_older = change.logged_at is None and change.person_hash is None and change.number is not None
        if first and is_older and change[:1] + change[2:] == first[:1] + first[2:]:
            yield first._replace(person_hash=change.address_hash)
            first = None
            continue
        if first:
            yield first
        first = change if is_older else None
        if not is_older:
            yield change
    if first:
        yield first


def boundaries(log: Path) -> list[dict[str, Any]]:
    """The first and the last readable line of a file."""
    if not log.exists():
        return []
    with log.open("rb") as file:
        first = file.readline(MAX_LINE_BYTES)
        file.seek(max(0, file.seek(0, os.SEEK_END) - 2 * MAX_LINE_BYTES))
        lines = [first, *(line for line in file if line.endswith(b"\n"))]
    return [entry for entry in map(_entry, (lines[0], lines[-1])) if entry]


def _entry(line: bytes) -> dict[str, Any]:
    with contextlib.suppress(ValueError):
        entry = json.loads(line)
        return entry if isinstance(entry, dict) else {}
    return {}
