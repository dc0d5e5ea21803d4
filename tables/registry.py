"""Downloading packages with npm and pip, which respect configured mirrors and proxies."""

import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

Files = dict[str, bytes]


def npm(package: str) -> Files:
    """The files of the newest npm `package`, by path."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["npm", "pack", "--silent", package],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=120,
        )
        return _tar(next(Path(folder).glob("*.tgz")))


def pypi(project: str) -> Files:
    """The files of the newest release of a PyPI `project`, by path."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "-d", folder, project]
        subprocess.run(command, check=True, timeout=120)
        archive = next(Path(folder).iterdir())
        return _tar(archive) if archive.suffix == ".gz" else _zip(archive)


def _tar(path: Path) -> Files:
    with tarfile.open(path) as archive:
        members = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        return {name.partition("/")[2]: file.read() for name, file in members.items() if file}


def _zip(path: Path) -> Files:
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
