"""Keeps the instances of tests in memory, where the system has a folder there, with room."""

import os
import tempfile
from pathlib import Path

FOLDER = Path("/dev/shm")  # noqa: S108 - a place for folders of their users' own, as /tmp is
ROOM_BYTES = 2**30


def keep_instances() -> None:
    """Keeps the instances of this process and its children in memory, unless TMPDIR names a folder.

    Thousands of small databases take a quarter less time there.
    """
    if "TMPDIR" not in os.environ and has_room():
        os.environ["TMPDIR"], tempfile.tempdir = str(FOLDER), None


def has_room() -> bool:
    """Whether the folder in memory has room, and programs in it run. A container's folder often fails one of
    these.
    """
    try:
        found = os.statvfs(FOLDER)
    except OSError:
        return False
    is_open = os.access(FOLDER, os.W_OK | os.X_OK) and not found.f_flag & os.ST_NOEXEC
    return is_open and found.f_bavail * found.f_frsize >= ROOM_BYTES
