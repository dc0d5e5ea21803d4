"""One process that the supervisor keeps alive."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

from workers.leash import leashed

STDERR = 2
STABLE_AFTER = 5.0
WAITS = (0.0, 0.2, 0.4, 0.8, 1.6, 3.2, 10.0)  # seconds before the next start, by early deaths in a row


class Child:
    """A process in a session of its own (a terminal's Ctrl-C does not reach it), on a leash to this one."""

    def __init__(self, kind: str, command: list[str]) -> None:
        self.kind = kind
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._start_at = 0.0
        self._early_deaths = 0

    def start(self) -> None:
        self._started = time.monotonic()
        self._process = subprocess.Popen(  # noqa: S603 - our own command line
            leashed(self._command),
            stdin=subprocess.DEVNULL,
            stdout=STDERR,
            start_new_session=True,
        )

    def keep_alive(self) -> None:
        """Starts it again when it has died: at once, but later and later when it dies early each time."""
        now = time.monotonic()
        if self._process is not None and self._process.poll() is not None:
            status = self._process.returncode
            kill_group(self._process.pid)
            self._process = None
            self._early_deaths = self._early_deaths + 1 if now - self._started < STABLE_AFTER else 0
            wait = WAITS[min(self._early_deaths, len(WAITS) - 1)]
            self._start_at = now + wait
            say(f"{self.kind} ended ({status_text(status)}), starting it again in {wait:.1f} s")
        if self._process is None and now >= self._start_at:
            self.start()

    def terminate(self) -> None:
        if self._process is not None:
            self._process.terminate()

    def wait(self, deadline: float) -> None:
        """Waits until it has ended, and kills it at `deadline` (monotonic seconds)."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            say(f"{self.kind} does not stop and is killed")
        kill_group(self._process.pid)
        self._process.wait()


def kill_group(leader: int) -> None:
    """Ends a child and what it has started."""
    with suppress(ProcessLookupError, PermissionError):  # macOS refuses where only the dead are left
        os.killpg(leader, signal.SIGKILL)


def status_text(status: int) -> str:
    return f"signal {signal.Signals(-status).name}" if status < 0 else f"exit {status}"


def say(line: str) -> None:
    print(f"audience: {line}", file=sys.stderr, flush=True)
