"""Writes `packing/arm_wheels.csv`: the wheel of each locked package that ARM64 Linux installs.

Asks the package index, and fails if a package has none. Installs nothing.
"""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LOCK = Path("requirements.lock")
TABLE = Path(__file__).parent / "arm_wheels.csv"
PYTHON = "3.11"
PLATFORMS = ("manylinux_2_28_aarch64", "manylinux2014_aarch64", "manylinux_2_17_aarch64")
OPTIONS = "--quiet --dry-run --ignore-installed --no-deps --only-binary=:all: --require-hashes"
COLUMNS = ("package", "version", "wheel", "sha256")


def main() -> None:
    rows = sorted(wheels())
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows(rows)


def wheels() -> list[tuple[str, str, str, str]]:
    """The rows of the table. Raises `CalledProcessError` if a package has no wheel."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        platforms = [f"--platform={platform}" for platform in PLATFORMS]
        files = [f"--target={folder}/none", f"--report={report}", f"--requirement={LOCK}"]
        pip = [sys.executable, "-m", "pip", "install", *OPTIONS.split(), f"--python-version={PYTHON}"]
        subprocess.run([*pip, *platforms, *files], check=True)  # noqa: S603 - fixed words
        installed = json.loads(report.read_text("utf-8"))["install"]
    return [row(each["metadata"], each["download_info"]) for each in installed]


def row(metadata: dict[str, str], download: dict[str, Any]) -> tuple[str, str, str, str]:
    wheel = download["url"].rpartition("/")[2]
    return metadata["name"].lower(), metadata["version"], wheel, download["archive_info"]["hashes"]["sha256"]


if __name__ == "__main__":
    main()
