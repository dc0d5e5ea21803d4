"""Where tests keep their instances: in memory, where the system has a folder there, with room."""

import os
import tempfile
from pathlib import Path

FOLDER = Path("/dev/shm")  # noqa: S108 - a place for folders of their users' own, as /tmp is
ROOM_BYTES = 2**30


def keep_instances() -> None:
    """Those of this process and its children, unless TMPDIR names a place.

    Thousands of small databases take a quarter less time there.
    """
    if "TMPDIR" not in os.environ and has_room():
        os.environ["TMPDIR"], tempfile.tempdir = str(FOLDER), None


def has_room() -> bool:
    """Whether files are kept there and programs run; a container's folder often is small, or runs none."""
    try:
        found = os.statvfs(FOLDER)
    except OSError:
        return False
    is_open = os.access(FOLDER, os.W_OK | os.X_OK) and not found.f_flag & os.ST_NOEXEC
    return is_open and found.f_bavail * found.f_frsize >= ROOM_BYTES
