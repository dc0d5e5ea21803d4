"""Builds `dist/audience.pyz`: all code, dependencies and tables in one executable file.

Packs the dependencies installed in this environment and downloads nothing. The file runs on the same version
of Python and the same platform.
"""

import hashlib
import json
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Collection, Iterator
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
BUILD_ONLY = frozenset({"setuptools"})
INSTALL_RECORDS = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "entry_points.txt"})
PYTHON = sys.version_info[:2]


def main() -> None:
    target = ROOT / "dist" / "audience.pyz"
    build(target)
    size = target.stat().st_size / 1e6
    print(f"{target.relative_to(ROOT)}: {size:.1f} MB, for Python {PYTHON[0]}.{PYTHON[1]}")


def build(target: Path, level: int | None = None) -> None:
    """Writes the archive, compressed at zlib's level (0 to 9, by default 6); its bytes depend on that and the
    contents only.
    """
    files = {name: (source.read_bytes(), source.stat().st_mode & 0o100) for name, source in contents()}
    digest = hashlib.sha256()
    for name, (content, executable) in sorted(files.items()):
        digest.update(f"{name}\0{executable}\0{len(content)}\0".encode() + content)
    built = {"id": digest.hexdigest()[:16], "for": {"python": PYTHON, "platform": sysconfig.get_platform()}}
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_suffix(".new")
    with draft.open("wb") as file:
        file.write(f"#!/usr/bin/env python{PYTHON[0]}.{PYTHON[1]}\n".encode())
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
            add(archive, "__main__.py", b"from launcher import main\n\nmain()\n")
            add(archive, "launcher.py", (ROOT / "packing" / "launcher.py").read_bytes())
            add(archive, "built.json", json.dumps(built).encode())
            for name, (content, executable) in sorted(files.items()):
                add(archive, f"code/{name}", content, 0o600 | executable)
    draft.chmod(0o755)
    draft.replace(target)


def add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int = 0o600) -> None:
    item = zipfile.ZipInfo(name)
    item.external_attr = mode << 16
    archive.writestr(item, content, zipfile.ZIP_DEFLATED, archive.compresslevel)


def contents() -> Iterator[tuple[str, Path]]:
    """The name in the archive and the source of each file."""
    for name in sorted(packed()):
        yield from installed(name)
    yield from ((name, file) for name, file in installed("audience") if ".dist-info/" in name)
    for file in project_files():
        yield str(file.relative_to(ROOT)), file


def packed() -> set[str]:
    """The names of the distributions in the archive."""
    project = PROJECT["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["postgresql"]]
    return closure(needed) - BUILD_ONLY


def closure(requirements: list[str]) -> set[str]:
    """The names of all distributions that `requirements` lead to on this platform."""
    names: set[str] = set()
    pending = [Requirement(each) for each in requirements]
    while pending:
        required = pending.pop()
        if required.name not in names:
            names.add(required.name)
            others = map(Requirement, distribution(required.name).requires or ())
            pending += [other for other in others if is_needed(other, required.extras)]
    return names


def is_needed(requirement: Requirement, extras: Collection[str]) -> bool:
    """Whether a requirement of a distribution counts here, with the extras asked of it."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def installed(name: str) -> Iterator[tuple[str, Path]]:
    for file in distribution(name).files or ():
        excluded = ".." in file.parts or "__pycache__" in file.parts or file.suffix == ".pyc"
        if not excluded and file.name not in INSTALL_RECORDS:
            yield str(file), Path(str(file.locate()))


def project_files() -> Iterator[Path]:
    """The project's files, as listed in pyproject.toml."""
    listed = PROJECT["tool"]["setuptools"]
    for module in listed["py-modules"]:
        yield ROOT / f"{module}.py"
    for package in listed["packages"]:
        folder = ROOT / package.replace(".", "/")
        yield from sorted(folder.glob("*.py"))
        for pattern in listed["package-data"].get(package, ()):
            data = sorted(file for file in folder.glob(pattern) if file.is_file())
            yield from (file for file in data if file.suffix not in (".py", ".pyc"))


if __name__ == "__main__":
    main()
