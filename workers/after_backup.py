"""Implements `audience.protocols.BackupPrograms`: what runs after a backup, in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

from workers.parent_death import command_with_parent

COMMAND_SECONDS = 3_600
REASON_CHARACTERS = 200  # of what a command printed that failed


class AfterBackup:
    """The operator's command, and the trial restore, which ends with this process.

    A call returns why that failed, or an empty text.
    """

    def run_command(self, command: str, file: Path) -> str:
        """Runs a shell command, which has the path of the backup in `$BACKUP_FILE`."""
        variables = os.environ | {"BACKUP_FILE": str(file)}
        return _failure(["/bin/sh", "-c", command], variables, COMMAND_SECONDS)

    def restore_in_trial(self, file: Path) -> str:
        """Restores the backup in a temporary folder."""
        words = ["backup", "check", "--restore", str(file)]
        return _failure(command_with_parent([sys.executable, "-P", "-m", "app", *words]))


def _failure(command: list[str], variables: dict[str, str] | None = None, seconds: int | None = None) -> str:
    """Runs a command. Returns why it failed, or "": the end of what it printed, and its exit status."""
    try:
        done = subprocess.run(  # noqa: S603 - our own, or the operator's
            command,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "it did not end within an hour"
    reason = done.stderr.decode(errors="replace").strip()[-REASON_CHARACTERS:]
    return f"{reason} (exit status {done.returncode})".strip() if done.returncode else ""
