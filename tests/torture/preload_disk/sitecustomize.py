"""A disk with little room, for every worker with this folder on its path.

`TORTURE_DISK` names a file with eight bytes, which may change at any time: how much may be written to the
database's log from one sync, or refusal, to the next.
"""

import mmap
import os
import struct
from pathlib import Path

import apsw

with open(os.environ["TORTURE_DISK"], "rb") as file:
    room = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)
BASE = apsw.vfs_names()[0]


class SmallFile(apsw.VFSFile):
    def __init__(self, name: apsw.URIFilename | str, flags: list[int]) -> None:
        super().__init__(BASE, name, flags)
        self._written = 0

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        self._written += len(data)
        if self._written > struct.unpack("q", room[:8])[0]:
            self._written = 0
            raise apsw.FullError
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._written = 0
        super().xSync(flags)


class Small(apsw.VFS):
    def __init__(self) -> None:
        super().__init__("small", BASE, makedefault=True)

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        kind = SmallFile if flags[0] & apsw.SQLITE_OPEN_WAL else Plain
        return kind(name or "", flags)


class Plain(apsw.VFSFile):
    def __init__(self, name: apsw.URIFilename | str, flags: list[int]) -> None:
        super().__init__(BASE, name, flags)


if b"\0worker\0" in Path("/proc/self/cmdline").read_bytes():
    small = Small()
