"""Runs a command that must not outlive the process that starts it, however that one ends.

This file's text is run as a small program of its own, so that it works from a zip archive too. On Linux it
becomes the command, which the kernel then ends with its parent (prctl(2), PR_SET_PDEATHSIG: the thread that
starts it has to live on, so start children from the main thread); elsewhere it stays beside the command and
watches the parent.
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
LOOK_AGAIN = 0.3


def leashed(command: list[str]) -> list[str]:
    """The command line that runs `command` on a leash to this process."""
    text = (get_data("workers", Path(__file__).name) or b"").decode()
    return [sys.executable, "-I", "-S", "-c", text, str(os.getpid()), *command]


def become(parent: int, command: list[str]) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() == parent:
        os.execvp(command[0], command)  # noqa: S606 - replaces this process on purpose


def watch(parent: int, command: list[str]) -> int:
    """The exit status of `command`, which is killed once `parent` is gone."""
    child = subprocess.Popen(command)  # noqa: S603 - our own command line

    def forward(number: int, _: FrameType | None) -> None:
        child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, forward)
    while os.getppid() == parent:
        try:
            return child.wait(LOOK_AGAIN)
        except subprocess.TimeoutExpired:
            continue
    child.kill()
    return child.wait()


def main() -> int:
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        become(parent, command)
    return watch(parent, command) if os.getppid() == parent else 1


if __name__ == "__main__":
    sys.exit(abs(main()))
