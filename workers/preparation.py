"""Preparing a service before it starts, in a process that then ends, so that nothing it imports stays in
memory.
"""

import json
import subprocess
import sys
from typing import Any

from workers.parent_death import command_with_parent


def outcome_of(code: str) -> Any:
    """Runs the Python program `code` in its own process. Returns the JSON that it prints.

    If it fails, it reports that itself, and this process exits with its status.
    """
    done = subprocess.run(  # noqa: S603 - our own command line
        command_with_parent([sys.executable, "-P", "-c", code]),
        stdout=subprocess.PIPE,
        start_new_session=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.returncode)
    return json.loads(done.stdout)
