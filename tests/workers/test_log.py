"""The log's lines: their form, and what happens when they cannot be written."""

import contextlib
import json
import os
import pty
import subprocess
import sys

import pytest

from tests.service import PATIENCE_SECONDS

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
            [sys.executable, "-c", LINES, str(tmp_path / "end")],
            stdout=full,
            stderr=full,
            timeout=PATIENCE_SECONDS,
        )
    assert (tmp_path / "end").read_text() == "alive"


def test_lines_are_written(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", LINES, str(tmp_path / "end")],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert run.stdout == "a line\n" * 1000
    assert run.stderr.count("\na line\n") == 1000


RECORDS = """
import sys
from audience import telemetry
from workers.log import configure

configure("info", sys.argv[1])
telemetry.record_request(telemetry.RequestRecord(
    request_id="5c0a", method="GET", route="/api/v1/fetch/tags", status=200, ms=1.3, site_id=1, key_id=2))
telemetry.log.warning("strange", extra={"fields": {"worker": 3}})
"""
HUMAN = ("GET /api/v1/fetch/tags 200 in 1.3 ms, request 5c0a", "warning: strange, worker 3")


def on_a_terminal(form):
    master, slave = pty.openpty()
    subprocess.run([sys.executable, "-c", RECORDS, form], stderr=slave, timeout=PATIENCE_SECONDS, check=True)
    os.close(slave)
    written = b""
    with contextlib.suppress(OSError):  # at the end of a terminal
        while piece := os.read(master, 1 << 16):
            written += piece
    os.close(master)
    return written.decode().splitlines()


def in_a_file(form):
    run = subprocess.run(
        [sys.executable, "-c", RECORDS, form],
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    return run.stderr.splitlines()


@pytest.mark.parametrize(
    ("where", "form"), [(on_a_terminal, ""), (on_a_terminal, "text"), (in_a_file, "text")]
)
def test_lines_for_people_begin_with_the_time_of_day(where, form):
    times, lines = zip(*(line.split(" ", 1) for line in where(form)), strict=True)
    assert lines == HUMAN
    assert [len(time.split(":")) for time in times] == [3, 3]


@pytest.mark.parametrize(("where", "form"), [(in_a_file, ""), (in_a_file, "json"), (on_a_terminal, "json")])
def test_lines_for_programs_are_json(where, form):
    request, warning = map(json.loads, where(form))
    assert (request["message"], request["status"], request["request_id"]) == ("request", 200, "5c0a")
    assert (warning["level"], warning["worker"]) == ("warning", 3)
