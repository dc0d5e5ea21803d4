"""A disk that forgets what was not synced, in every Python process with this folder on its path.

`TORTURE_POWER` names a folder. With each sync, through SQLite or `os.fsync`, the file's content as it
is at that moment is copied there, as `INODE`; and the instance's names, with the inode to which each leads,
into `names`: as file systems with a journal do, which keep the order of what happens to names.
"""

import fcntl
import json
import os
import shutil
from typing import Any

import apsw

DURABLE = os.environ["TORTURE_POWER"]
INSTANCE = os.path.realpath(os.environ["AUDIENCE_INSTANCE"])
NAMES = os.path.join(DURABLE, "names")
BASE = apsw.vfs_names()[0]
really_sync = os.fsync
os.makedirs(DURABLE, exist_ok=True)


def keep(path: str) -> None:
    """The files of the instance's subfolders hold nothing that was accepted."""
    with open(os.path.join(DURABLE, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.dirname(path) == INSTANCE and os.path.exists(path):
            replace(os.path.join(DURABLE, str(os.stat(path).st_ino)), path)
        files = [each for each in os.scandir(INSTANCE) if each.is_file(follow_symlinks=False)]
        with open(NAMES + ".new", "w") as names:
            json.dump({each.name: each.inode() for each in files}, names)
        os.replace(NAMES + ".new", NAMES)


def replace(kept: str, path: str) -> None:
    shutil.copyfile(path, kept + ".new")
    os.replace(kept + ".new", kept)


def fsync(file: Any) -> None:
    descriptor = file if isinstance(file, int) else file.fileno()
    really_sync(descriptor)
    path = os.path.realpath(f"/proc/self/fd/{descriptor}")
    if INSTANCE in (path, os.path.dirname(path)):
        keep(path)


class ForgetfulFile(apsw.VFSFile):
    def __init__(self, name: apsw.URIFilename | str, flags: list[int]) -> None:
        super().__init__(BASE, name, flags)
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else name

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        super().xSync(flags)
        if self._path and os.path.dirname(self._path) == INSTANCE:
            keep(self._path)


class Forgetful(apsw.VFS):
    def __init__(self) -> None:
        super().__init__("forgetful", BASE, makedefault=True)

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return ForgetfulFile(name or "", flags)


os.fsync = fsync  # type: ignore[assignment]
forgetful = Forgetful()
