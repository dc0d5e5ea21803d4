"""Files of a package, read out of its archive as data. No name in the archive becomes a path, and all sizes
are bounded.
"""

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Collection
from io import BytesIO
from typing import IO, cast

from audience.errors import Refused

UNPACKED_BYTES = 2**29
MOST_FILES = 20_000

UNREADABLE = "{label} cannot be read as an archive: nothing of it was used."
TOO_LARGE = "{label} unpacks to more than {limit:,} bytes: nothing of it was used."
TOO_MANY = "{label} has more than {limit:,} files: nothing of it was used."
NO_FILE = "{label} has no file {path} any more: this version of Audience cannot make its tables from it."
DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError,
    RuntimeError,  # zipfile's, of what is encrypted or packed in a way that it does not know
)  # fmt: skip

Files = dict[str, bytes]


def read(label: str, content: bytes, paths: Collection[str]) -> Files:
    """The files at `paths` in an archive of npm (.tgz) or pip (.whl). Raises `Refused`."""
    try:
        files = _zip(label, content, paths) if content[:2] == b"PK" else _tar(label, content, paths)
    except DAMAGE as error:
        raise Refused(UNREADABLE.format(label=label)) from error
    for path in paths:
        if path not in files:
            raise Refused(NO_FILE.format(label=label, path=path))
    return files


def _zip(label: str, content: bytes, paths: Collection[str]) -> Files:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        items = archive.infolist()
        _bound(label, len(items), sum(item.file_size for item in items if item.filename in paths))
        return {item.filename: archive.read(item) for item in items if item.filename in paths}


def _tar(label: str, content: bytes, paths: Collection[str]) -> Files:
    """The files in an npm archive, which has all in one folder of any name."""
    files: Files = {}
    with gzip.GzipFile(fileobj=BytesIO(content)) as unpacked:
        source = cast("IO[bytes]", _Bounded(label, unpacked))
        with tarfile.open(fileobj=source, mode="r|") as archive:
            for count, member in enumerate(archive, 1):
                _bound(label, count, member.size)
                path = member.name.partition("/")[2]
                if path in paths and member.isreg() and (file := archive.extractfile(member)):
                    files[path] = file.read()
    return files


def _bound(label: str, count: int, size: int) -> None:
    if count > MOST_FILES:
        raise Refused(TOO_MANY.format(label=label, limit=MOST_FILES))
    if size > UNPACKED_BYTES:
        raise Refused(TOO_LARGE.format(label=label, limit=UNPACKED_BYTES))


class _Bounded:
    """A file from which at most `UNPACKED_BYTES` are read."""

    def __init__(self, label: str, file: gzip.GzipFile) -> None:
        self._label = label
        self._file = file
        self._size = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._size += len(data)
        _bound(self._label, 0, self._size)
        return data
