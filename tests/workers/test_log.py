"""Lines that cannot be written are dropped, and the process goes on."""

import subprocess
import sys

import pytest

LINES = """
import logging, pathlib, sys
from workers.log import configure, say

configure("info")
for _ in range(1000):
    logging.getLogger("workers.test").error("a line")
    say("a line", sys.stdout)
    say("a line", sys.stderr)
pathlib.Path(sys.argv[1]).write_text("alive")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_a_line_that_cannot_be_written_is_dropped(tmp_path):
    with open("/dev/full", "w") as full:
        subprocess.run(
            [sys.executable, "-c", LINES, str(tmp_path / "end")], stdout=full, stderr=full, timeout=60
        )
    assert (tmp_path / "end").read_text() == "alive"


def test_lines_are_written(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", LINES, str(tmp_path / "end")], capture_output=True, text=True, timeout=60
    )
    assert run.stdout == "a line\n" * 1000
    assert run.stderr.count("\na line\n") == 1000
