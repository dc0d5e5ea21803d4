"""Long work on a terminal: a bar, and Ctrl-C."""

import contextlib
import os
import pty
import signal
import subprocess

import pytest

from tests.service import PATIENCE_SECONDS, command, environment, hear_ctrl_c, until
from tests.stories.test_first_run import ROOT

SHOW_CURSOR = "\x1b[?25h"


@pytest.fixture
def terminal(tmp_path):
    """Starts a command on its own terminal; returns the process and its output so far."""
    master, slave = pty.openpty()
    os.set_blocking(master, False)
    text = bytearray()

    def printed():
        with contextlib.suppress(BlockingIOError, OSError):
            text.extend(os.read(master, 1 << 16))
        return text.decode(errors="ignore")

    started = []

    def start(*words):
        process = subprocess.Popen(
            command(*words),
            cwd=ROOT,
            env=environment(tmp_path, 8000),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=hear_ctrl_c,
        )
        started.append(process)
        return process, printed

    yield start
    for process in started:
        process.kill()
        process.wait()
    os.close(slave)
    os.close(master)


def sites_of(tmp_path):
    listed = subprocess.run(
        command("site", "list", "--json"),
        cwd=ROOT,
        env=environment(tmp_path, 8000),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    return listed.stdout.strip()


def test_a_bar_is_drawn_and_ctrl_c_changes_nothing(terminal, tmp_path):
    process, printed = terminal("demo", "--people", "300000")
    until(lambda: "[#" in printed())
    process.send_signal(signal.SIGINT)
    until(lambda: printed() is not None and process.poll() is not None)
    assert process.returncode == 1
    assert "Creating" in printed()
    assert "audience: stopped" in printed()
    assert SHOW_CURSOR in printed()
    assert "Traceback" not in printed()
    assert sites_of(tmp_path) == "[]"
