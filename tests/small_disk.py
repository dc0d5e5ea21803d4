"""A file system that tests can fill, which needs root."""

import contextlib
import errno
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE_BYTES = 4096


class SmallDisk:
    """A mounted tmpfs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._filler = path / "filler"

    def fill(self, but_pages: int = 0) -> None:
        """Takes all space, except for `but_pages` pages."""
        with self._filler.open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(PAGE_BYTES))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
            file.truncate(max(0, file.tell() - but_pages * PAGE_BYTES))

    def make_room(self) -> None:
        self._filler.unlink()


@contextlib.contextmanager
def mounted(path: Path, mebibytes: int) -> Iterator[SmallDisk]:
    """Mounts a disk during the block. Skips the test where mounting is not allowed."""
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=700", "tmpfs", str(path)]
    try:
        run = subprocess.run(mount, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("needs the program mount")
    if run.returncode:
        pytest.skip(f"needs the right to mount a file system: {run.stderr.strip()}")
    try:
        yield SmallDisk(path)
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)
