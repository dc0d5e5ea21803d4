"""Notices that a file or folder which the process uses was moved or deleted."""

from collections.abc import Iterable
from pathlib import Path


class WatchedPlaces:
    """Remembers the device and inode that each path first had."""

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self._identities: dict[Path, tuple[int, int] | None] = dict.fromkeys(paths)

    def have_changed(self) -> bool:
        """Whether a path now leads to another file or folder than at first, or to nothing."""
        for path, first_identity in self._identities.items():
            identity = _identity(path)
            if first_identity is None:
                self._identities[path] = identity
            elif identity != first_identity:
                return True
        return False


def _identity(path: Path) -> tuple[int, int] | None:
    """The device and inode of a path; None if nothing is there."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
