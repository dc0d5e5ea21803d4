"""Every locked package has a wheel for ARM64 Linux: `make lock` asks the index for the table held here."""

import csv
import re
from typing import Any

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from packing.arm_wheels import LOCK, PYTHON, TABLE

ROWS = list(csv.DictReader(TABLE.read_text("utf-8").splitlines()))
ENTRY = re.compile(r"^(\S+==[^\\\n]+?) *\\\n((?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)
ENVIRONMENT: Any = default_environment() | {"python_version": PYTHON, "python_full_version": f"{PYTHON}.0"}


def locked():
    """(name, version) of the packages that Python 3.11 installs, with their hashes."""
    found = {}
    for pin, hashes in ENTRY.findall(LOCK.read_text("utf-8")):
        required = Requirement(pin)
        if required.marker is None or required.marker.evaluate(ENVIRONMENT):
            [version] = required.specifier
            found[canonicalize_name(required.name), version.version] = set(
                re.findall(r"[0-9a-f]{64}", hashes)
            )
    return found


def test_the_table_has_exactly_the_locked_packages():
    rows = [(canonicalize_name(row["package"]), row["version"]) for row in ROWS]
    assert sorted(rows) == sorted(locked())


def test_the_wheel_runs_on_arm_and_is_in_the_lock():
    hashes = locked()
    for row in ROWS:
        name, version, _, tags = parse_wheel_filename(row["wheel"])
        assert (name, str(version)) == (canonicalize_name(row["package"]), row["version"])
        assert any(tag.platform == "any" or tag.platform.endswith("_aarch64") for tag in tags), name
        assert row["sha256"] in hashes[name, row["version"]]
