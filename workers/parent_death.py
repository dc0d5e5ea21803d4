"""Runs a command that dies with the process that started it, even if the latter is killed.

The source of this file is run as a program of its own, so that it also works from a zip archive. It imports
the standard library only.

On Linux, the program sets PR_SET_PDEATHSIG (prctl(2)) and becomes the command. The kernel then kills it when
the thread that started it exits: start processes from the main thread. On other systems, the program runs the
command as a child and watches the parent.
"""

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path
from pkgutil import get_data
from types import FrameType

PR_SET_PDEATHSIG = 1
POLL_SECONDS = 0.3


def command_with_parent(command: list[str]) -> list[str]:
    """A command line that runs `command`, which ends when this process dies."""
    source = (get_data("workers", Path(__file__).name) or b"").decode()
    return [sys.executable, "-I", "-S", "-c", source, str(os.getpid()), *command]


def become(parent: int, command: list[str]) -> None:
    """Becomes `command`, which the kernel kills with the process `parent`. Returns if `parent` is gone
    already.
    """
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() == parent:
        os.execvp(command[0], command)  # noqa: S606 - no shell is wanted


def watch(parent: int, command: list[str]) -> int:
    """Runs `command`, and kills it once the process `parent` is gone. Returns its exit status."""
    child = subprocess.Popen(command)  # noqa: S603 - our own command line

    def forward(number: int, _: FrameType | None) -> None:
        child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, forward)
    while os.getppid() == parent:
        try:
            return child.wait(POLL_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    child.kill()
    return child.wait()


def main() -> int:
    """Runs the command in the arguments while the parent lives. Returns its status, or 1 without the
    parent.
    """
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        become(parent, command)
    return watch(parent, command) if os.getppid() == parent else 1


if __name__ == "__main__":
    sys.exit(abs(main()))
