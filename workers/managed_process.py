"""One process that the supervisor keeps running."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from workers.log import say
from workers.parent_death import command_with_parent

STDERR = 2
STABLE_SECONDS = 5.0
MENDED_DEATH = 2
RESTART_SECONDS = (0.0, 0.2, 0.4, 0.8, 1.6, 3.2, 10.0)  # delay by the number of consecutive early exits


class ManagedProcess:
    """A process that the supervisor keeps running, and that dies with it. It has its own session: a
    terminal's Ctrl-C does not reach it.

    `mend` is called before each restart after two early deaths in a row. It returns a line for the operator.
    """

    def __init__(self, kind: str, command: list[str], mend: Callable[[], str] | None = None) -> None:
        self.kind = kind
        self._command = command
        self._mend = mend
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._restart_at = 0.0
        self._early_deaths = 0

    def start(self) -> None:
        self._started_at = time.monotonic()
        self._process = subprocess.Popen(  # noqa: S603 - our own command line
            command_with_parent(self._command),
            stdin=subprocess.DEVNULL,
            stdout=STDERR,
            start_new_session=True,
        )

    def keep_alive(self) -> None:
        """Restarts a dead process, after a growing delay if it keeps dying early."""
        now = time.monotonic()
        if self._process is not None and self._process.poll() is not None:
            status = self._process.returncode
            kill_group(self._process.pid)
            self._process = None
            self._early_deaths = self._early_deaths + 1 if now - self._started_at < STABLE_SECONDS else 0
            delay = RESTART_SECONDS[min(self._early_deaths, len(RESTART_SECONDS) - 1)]
            self._restart_at = now + delay
            report(f"{self.kind} exited ({status_text(status)}), restarting in {delay:.1f} s")
            if self._mend and self._early_deaths and self._early_deaths % MENDED_DEATH == 0:
                report(self._mend())
        if self._process is None and now >= self._restart_at:
            self.start()

    def terminate(self) -> None:
        if self._process is not None:
            self._process.terminate()

    def wait(self, deadline: float) -> None:
        """Waits until the process exits; kills it at `deadline` (`time.monotonic()`)."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            report(f"{self.kind} did not stop in time, killing it")
        kill_group(self._process.pid)
        self._process.wait()


def kill_group(leader: int) -> None:
    """Kills a session's leader and the processes that it has started."""
    with suppress(ProcessLookupError, PermissionError):  # macOS raises the latter for a group of zombies
        os.killpg(leader, signal.SIGKILL)


def status_text(status: int) -> str:
    return f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"


def report(line: str) -> None:
    say(f"audience: {line}", sys.stderr)
