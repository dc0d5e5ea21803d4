"""Preparing a service before it starts, in a process that then ends, so that nothing it imports stays in
memory.
"""

import json
import subprocess
import sys
from typing import Any

from workers.parent_death import command_with_parent


def outcome_of(code: str) -> Any:
    """Runs the Python program `code` in a process of its own, and returns the JSON that it prints. If it
    fails, this process exits with the same status; the program reports the failure itself.
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
