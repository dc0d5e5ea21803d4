"""What happens once before a service starts, in a process that ends: nothing that it imports stays."""

import json
import subprocess
import sys
from typing import Any

from workers.parent_death import command_with_parent


def outcome_of(code: str) -> Any:
    """What a process that runs `code` prints, as JSON. Exits as it does if it fails, which it reports."""
    done = subprocess.run(  # noqa: S603 - our own command line
        command_with_parent([sys.executable, "-P", "-c", code]),
        stdout=subprocess.PIPE,
        start_new_session=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.returncode)
    return json.loads(done.stdout)
