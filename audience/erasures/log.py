"""The log of erasures, which outlives the database and repeats them after a restore.

It is a file of JSON lines in the instance's folder or, where several hosts share the database, a table there.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from audience import secret_files
from audience.errors import Refused
from storage import database
from storage.erasures import log as stored
from storage.erasures.log import LoggedErasure as LoggedErasure

LOG = "erasures.log"
MAX_LINE_BYTES = 1024


def append(instance: Path, erasures: Sequence[LoggedErasure]) -> None:
    """Logs erasures: flushed to the file, or in the caller's transaction."""
    if stored.is_kept():
        stored.add(erasures)
    else:
        append_lines(instance / LOG, erasures)


def list_all(instance: Path) -> list[LoggedErasure]:
    """Oldest first. Raises `Refused` if a line of the file cannot be read."""
    if not stored.is_kept():
        return list(read(instance / LOG))
    with database.session():
        return stored.list_all()


def missing(instance: Path, erasures: Iterable[LoggedErasure]) -> list[LoggedErasure]:
    """Those that the log does not have."""
    known = set(list_all(instance))
    return [erasure for erasure in erasures if erasure not in known]


def file_of(instance: Path) -> Path | None:
    """The log, if it is a file."""
    return None if stored.is_kept() else instance / LOG


def write(file: Path, erasures: Iterable[LoggedErasure]) -> None:
    """Replaces a private file by these lines."""
    secret_files.write(file, b"".join(map(_line, erasures)))


def append_lines(log: Path, erasures: Iterable[LoggedErasure]) -> None:
    """Appends lines, in place of a truncated one, one process at a time."""
    descriptor = secret_files.private_opener(str(log), os.O_RDWR | os.O_CREAT)
    with os.fdopen(descriptor, "r+b") as file:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - MAX_LINE_BYTES))
        last = file.read()
        file.seek(end - len(last) + last.rfind(b"\n") + 1)
        file.truncate()
        file.write(b"".join(map(_line, erasures)))
        file.flush()
        os.fsync(descriptor)


def _line(erasure: LoggedErasure) -> bytes:
    known = {name: value for name, value in erasure._asdict().items() if value is not None}
    return f"{json.dumps(known)}\n".encode()


def read(log: Path) -> Iterator[LoggedErasure]:
    """The lines of a file, none if it does not exist. Raises `Refused`."""
    try:
        text = log.read_text("utf-8") if log.exists() else ""
    except UnicodeDecodeError:
        raise Refused(
            f"{log} is no log of erasures: name one that `audience erasures export` wrote."
        ) from None
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        try:
            yield _erasure(json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines) and not text.endswith("\n"):  # truncated: that erasure was not finished
                return
            raise Refused(f"{log} cannot be read at line {number}: repair it first.") from error


def _erasure(entry: Any) -> LoggedErasure:
    return LoggedErasure(
        entry["site_uuid"],
        entry["address_hash"],
        int(entry["at"]),
        entry.get("number"),
        entry.get("pepper_check"),
    )


def addresses(lines: Iterable[LoggedErasure], site_uuid: str) -> dict[str, int]:
    """The times by the hash of each address of a site, without uuids: the line of one follows its address's,
    under the same number.
    """
    of_site = (line for line in lines if line.site_uuid == site_uuid)
    erasures = groupby(of_site, lambda line: line.number)
    return {line.address_hash: line.at for _, lines in erasures for line in islice(lines, 0, None, 2)}


def boundaries(log: Path) -> list[dict[str, Any]]:
    """The first and the last line of a file, those that can be read."""
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
