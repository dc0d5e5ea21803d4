"""What happens once before a service starts, in a process that ends: nothing that it imports stays."""

import json
import subprocess
import sys
from typing import Any

from workers.parent_death import command_with_parent


def outcome_of(code: str) -> Any:
    """Runs `code` in a process, and returns the JSON that it prints. If it fails, exits with its status; the
    process reports the failure.
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
