"""Commands on a full disk end with a message that says so, and leave no half file."""

import json
import subprocess

import pytest

from tests.service import command, environment
from tests.small_disk import mounted


@pytest.fixture
def disk(tmp_path):
    with mounted(tmp_path / "disk", 12) as disk:
        yield disk


@pytest.fixture
def run(disk):
    """Runs a command on the disk; returns exit code and standard error."""

    def start(*words):
        run = subprocess.run(
            command(*words),
            env=environment(disk.path / "instance", 1),
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        return run.returncode, run.stderr + run.stdout

    return start


@pytest.fixture
def site(run, disk):
    """A site, whose id is returned, with 2,000 subscribers."""
    assert run("demo", "--people", "2000")[0] == 0
    return json.loads(run("site", "list", "--json")[1])[0]["site_uuid"]


def files(disk):
    return {file.name for file in disk.path.iterdir()} - {"filler"}


def test_export_and_backup_say_that_the_disk_is_full(run, disk, site):
    before = files(disk)
    for words in (("export", str(disk.path / "people.csv"), "--site", site),
                  ("backup", str(disk.path / "backup.tar"))):  # fmt: skip
        disk.fill(but_pages=16)
        code, output = run(*words)
        assert code == 1, output
        assert "No space left on device" in output or "the disk is full" in output
        assert "Traceback" not in output
        assert "not an error" not in output
        assert files(disk) == before
        disk.make_room()
        code, output = run(*words)
        assert code == 0, output
        before = files(disk)


def test_a_write_and_doctor_say_that_the_disk_is_full(run, disk, site):
    disk.fill()
    code, output = run("site", "create", "Another")
    assert (code, "the disk is full or faulty" in output) == (1, True), output
    code, output = run("doctor", "--offline")
    assert code == 1
    assert "bad   disk         only 0.0 MiB of disk space free" in output
    disk.make_room()
    assert run("site", "create", "Another")[0] == 0
