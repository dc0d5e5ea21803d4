"""A command dies with the process that started it, even if that is killed."""

import os
import signal
import subprocess
import sys

import pytest

from tests.service import PATIENCE_SECONDS, until
from tests.workers.conftest import alive, descendants
from workers.parent_death import command_with_parent

ON_LINUX = "from workers.parent_death import command_with_parent as line"
ELSEWHERE = """
import sys, os
def line(command):
    code = "import sys; from workers.parent_death import watch;"
    code += " sys.exit(watch(int(sys.argv[1]), sys.argv[2:]))"
    return [sys.executable, "-c", code, str(os.getpid()), *command]
"""
PARENT = "\nimport subprocess, time\nsubprocess.Popen(line(['sleep', '300']))\ntime.sleep(300)"


@pytest.mark.parametrize("kind", [ON_LINUX, ELSEWHERE], ids=["become", "watch"])
def test_command_ends_when_its_parent_is_killed(kind):
    parent = subprocess.Popen([sys.executable, "-c", kind + PARENT])
    try:
        sleeping = until(
            lambda: [pid for pid, args in descendants(parent.pid).items() if args == "sleep 300"]
        )
    finally:
        parent.kill()
        parent.wait(PATIENCE_SECONDS)
    until(lambda: not any(alive(pid) for pid in sleeping))


def test_command_does_not_start_when_its_parent_is_gone_already(tmp_path):
    command = command_with_parent(["touch", str(tmp_path / "ran")])
    command[command.index(str(os.getpid()))] = "1"
    assert subprocess.run(command, timeout=PATIENCE_SECONDS).returncode == 1
    assert not (tmp_path / "ran").exists()


def test_watch_passes_on_the_exit_status_and_signals():
    code = f"{ELSEWHERE}\nimport os; os.execv(sys.executable, line(sys.argv[1:]))".replace(
        "str(os.getpid())", "str(os.getppid())"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code, "sh", "-c", "exit 7"], timeout=PATIENCE_SECONDS
        ).returncode
        == 7
    )
    child = subprocess.Popen([sys.executable, "-c", code, "sleep", "300"])
    until(lambda: "sleep 300" in descendants(child.pid).values())
    child.send_signal(signal.SIGTERM)
    assert child.wait(PATIENCE_SECONDS) != 0
