"""A disk that forgets what was not synced, in every Python process with this folder on its path.

`TORTURE_POWER` names a folder. With each sync, through SQLite or `os.fsync`, the file's content as it
is at that moment is copied there, as `INODE`, and its name noted in `names`, with the inode to which it
leads, as usual file systems do. Other new names, renamed and deleted files are noted when the folder is
synced.
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
    """Copies a synced file of the instance's folder or, if `path` is the folder, notes its names.

    Files in subfolders hold nothing that was accepted.
    """
    with open(os.path.join(DURABLE, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path == INSTANCE or not os.path.exists(NAMES):
            write_names(there())
        elif os.path.exists(path):
            inode = os.stat(path).st_ino
            replace(os.path.join(DURABLE, str(inode)), path)
            others = {name: number for name, number in read_names().items() if number != inode}
            write_names(others | {os.path.basename(path): inode})


def there() -> dict[str, int]:
    files = [each for each in os.scandir(INSTANCE) if each.is_file(follow_symlinks=False)]
    return {each.name: each.inode() for each in files}


def read_names() -> dict[str, int]:
    with open(NAMES) as names:
        found: dict[str, int] = json.load(names)
    return found


def write_names(names: dict[str, int]) -> None:
    with open(NAMES + ".new", "w") as file:
        json.dump(names, file)
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

    def xDelete(self, name: str, syncs_folder: bool) -> None:  # noqa: N802
        super().xDelete(name, syncs_folder)
        if syncs_folder and os.path.dirname(name) == INSTANCE:
            keep(INSTANCE)


os.fsync = fsync  # type: ignore[assignment]
forgetful = Forgetful()
if not os.path.exists(NAMES):
    keep(INSTANCE)
