"""What others take to import new people, in CPU time: theirs, and that of PostgreSQL where they use it.

"Measured" is the peer, "limit" Audience from accepting a batch to its last row written, "of limit" how many
times as much the peer takes. Audience keeps more beside a person: values by field, counters, consent, the
record of changes. Each round has Audience and every peer, the median of the runs. What does not install or
run is said.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from audience.access.sites import Site
from audience.imports import imports
from audience.operations import site_lane
from bench import import_core, instances
from bench.machine import ROOT
from bench.more.postgresql import server
from bench.reads import cpu_seconds
from bench.rows import CPU, Row, parser, show
from tests.client import FakeQueue
from workers import interpreter

ROWS, PEOPLE = 2_000, 10_000
PYTHON = ROOT / ".peers" / "bin" / "python"
NODE = {"NODE_PATH": str(ROOT / ".peers" / "node_modules")}
HERE = Path(__file__).parent


class Peer(NamedTuple):
    """`at_least` is how many times as much it should take."""

    command: Sequence[str]
    on_postgresql: bool
    at_least: float


PEERS: Mapping[str, Peer] = {
    "django-newsletter": Peer((str(PYTHON), str(HERE / "django_newsletter.py")), False, 20),
    "Ghost's importer": Peer(("node", str(HERE / "ghost.cjs")), True, 100),
    "listmonk's statement": Peer((str(PYTHON), str(HERE / "listmonk_statement.py")), True, 3),
    "Flask and SQLAlchemy": Peer((str(PYTHON), str(HERE / "sqlalchemy_ordinary.py")), False, 10),
}


def ours(site: Site) -> float:
    """Seconds of CPU to accept and write the rows."""
    items = import_core.rows(ROWS, 0, 0, PEOPLE)
    start = time.process_time()
    for first in range(0, ROWS, import_core.BATCH):
        imports.accept(site, list(enumerate(items[first : first + import_core.BATCH])), [], FakeQueue(), 0)
    while site_lane.drain(site.id, 3600):
        pass
    return time.process_time() - start


def run(command: Sequence[str], address: str = "") -> tuple[float, str]:
    """(seconds of CPU, version)"""
    arguments = [*command, str(ROWS), *([address] if address else [])]
    done = subprocess.run(arguments, env=os.environ | NODE, stdout=subprocess.PIPE, text=True, check=True)
    answer = json.loads(done.stdout)
    return answer["cpu"], answer["version"]


def measured(peer: Peer) -> tuple[float, str]:
    if not peer.on_postgresql:
        return run(peer.command)
    with server() as postgresql:
        before = cpu_seconds(postgresql.pid)
        folder = str(postgresql.folder)
        address = folder if peer.command[0] == "node" else f"host={folder} user=bench dbname=postgres"
        spent, version = run(peer.command, address)
        return spent + cpu_seconds(postgresql.pid) - before, version


def rounds(site: Site, runs: int) -> tuple[list[float], dict[str, list[float]], dict[str, str]]:
    """Seconds of CPU: ours, theirs by name; and of each its version, or why it did not run."""
    limits, theirs = [], dict[str, list[float]]()
    versions = dict.fromkeys(PEERS, "")
    for _ in range(runs):
        limits.append(ours(site))
        for name, peer in PEERS.items():
            try:
                seconds, versions[name] = measured(peer)
                theirs.setdefault(name, []).append(seconds)
            except (OSError, subprocess.SubprocessError) as error:
                versions[name] = f"did not run: {type(error).__name__}"
    return limits, theirs, versions


def rows(site: Site, runs: int) -> list[Row]:
    limits, theirs, versions = rounds(site, runs)
    limit = median(limits) / ROWS * 1e6
    results = []
    for name, peer in PEERS.items():
        spent = median(theirs.get(name, [0])) / ROWS * 1e6
        ratio = spent / limit if spent else None
        results.append(
            Row(
                what=f"{name} ({versions[name]}), a row", ours=spent, unit=CPU, limit=limit,
                of_limit=ratio, cpu_of_limit=ratio, at_least=peer.at_least,
            )
        )  # fmt: skip
    return results


def main() -> None:
    options = parser(__doc__, PEOPLE).parse_args()
    interpreter.settle()
    with tempfile.TemporaryDirectory() as folder:
        instances.make(Path(folder), PEOPLE)
        with instances.open_instance(Path(folder)) as site:
            results = rows(site, options.runs)
    show(results)


if __name__ == "__main__":
    main()
