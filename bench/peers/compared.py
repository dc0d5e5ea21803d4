"""What others take to import new people, in CPU time: theirs, and that of PostgreSQL where they use it.

"Measured" is the peer, "limit" Audience from accepting a batch to its last row written, "of limit" how many
times as much the peer takes. Audience keeps more beside a person: values by field, counters, consent. What
does not install or run is said.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from audience import imports
from bench import import_core, instances
from bench.machine import ROOT
from bench.peers.postgresql import server
from bench.reads import cpu_seconds
from bench.rows import CPU, Row, parser, show
from tests.client import FakeQueue

ROWS = 2_000
PYTHON = ROOT / ".peers" / "bin" / "python"
NODE = {"NODE_PATH": str(ROOT / ".peers" / "node_modules")}
HERE = Path(__file__).parent
# The command of each peer, whether it uses PostgreSQL, and the goal.
PEERS: dict[str, tuple[Sequence[str], bool, str]] = {
    "django-newsletter": ((str(PYTHON), str(HERE / "django_newsletter.py")), False, "20 times"),
    "Ghost's importer": (("node", str(HERE / "ghost.cjs")), True, "100 times"),
    "listmonk's statement": ((str(PYTHON), str(HERE / "listmonk_statement.py")), True, "3 times"),
    "Flask and SQLAlchemy": ((str(PYTHON), str(HERE / "sqlalchemy_ordinary.py")), False, "10 times"),
}


def ours() -> float:
    """Seconds of CPU to accept and write the rows."""
    with tempfile.TemporaryDirectory() as folder:
        instances.make(Path(folder), 10_000)
        with instances.opened(Path(folder)) as site:
            items, seconds = import_core.rows(ROWS, 0, 0, 10_000), 0.0
            start = time.process_time()
            for first in range(0, ROWS, import_core.BATCH):
                imports.accept(
                    site, list(enumerate(items[first : first + import_core.BATCH])), [], FakeQueue(), 0
                )
            while imports.drain(site.id, 3600):
                pass
            seconds = time.process_time() - start
    return seconds


def run(command: Sequence[str], address: str = "") -> tuple[float, str]:
    """(seconds of CPU, version)"""
    arguments = [*command, str(ROWS), *([address] if address else [])]
    done = subprocess.run(arguments, env=os.environ | NODE, stdout=subprocess.PIPE, text=True, check=True)
    answer = json.loads(done.stdout)
    return answer["cpu"], answer["version"]


def measured(command: Sequence[str], on_postgresql: bool) -> tuple[float, str]:
    if not on_postgresql:
        return run(command)
    with server() as postgresql:
        before = cpu_seconds(postgresql.pid)
        folder = str(postgresql.folder)
        address = folder if command[0] == "node" else f"host={folder} user=bench dbname=postgres"
        spent, version = run(command, address)
        return spent + cpu_seconds(postgresql.pid) - before, version


def main() -> None:
    options = parser(__doc__, 0).parse_args()
    limit, rows = ours() / ROWS * 1e6, []
    for name, (command, on_postgresql, goal) in PEERS.items():
        try:
            seconds, version = measured(command, on_postgresql)
        except (OSError, subprocess.SubprocessError) as error:
            rows.append(Row(what=f"{name}: did not run ({type(error).__name__})", ours=0, unit="", goal=goal))
            continue
        spent = seconds / ROWS * 1e6
        rows.append(
            Row(
                what=f"{name} ({version}), a row",
                ours=spent,
                unit=CPU,
                limit=limit,
                of_limit=spent / limit,
                goal=goal,
            )
        )
    show(rows, options.json)


if __name__ == "__main__":
    main()
