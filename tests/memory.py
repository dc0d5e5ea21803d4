"""Where tests keep their instances: in memory, where the system has a folder there, with room."""

import os
import tempfile

FOLDER, ROOM_BYTES = "/dev/shm", 2**30  # noqa: S108 - not shared: pytest makes folders of its own there


def use() -> None:
    """For this process and its children, unless TMPDIR names a place.

    Thousands of small databases take a third less time there.
    """
    if "TMPDIR" not in os.environ and has_room():
        os.environ["TMPDIR"], tempfile.tempdir = FOLDER, None


def has_room() -> bool:
    """Whether files are kept there and programs run; a container's folder often is small, or runs none."""
    try:
        found = os.statvfs(FOLDER)
    except OSError:
        return False
    is_open = os.access(FOLDER, os.W_OK | os.X_OK) and not found.f_flag & os.ST_NOEXEC
    return is_open and found.f_bavail * found.f_frsize >= ROOM_BYTES
