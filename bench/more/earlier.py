"""An earlier import into SQLite, before PostgreSQL, values by field, counters, consent and the record."""

import contextlib
import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bench.machine import ROOT
from bench.people import item

COMMIT = "71d380e"
PYTHON = ROOT / ".peers" / "earlier" / "bin" / "python"  # with the packages of that commit's lock
DRAIN = Path(__file__).with_name("earlier_drain.py")


class Earlier(NamedTuple):
    """A process of that commit, whose instance has subscribers."""

    process: subprocess.Popen[str]

    def drained(self, items: Sequence[object]) -> tuple[float, float]:
        """Seconds, and those of CPU."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(items) + "\n")
        self.process.stdin.flush()
        wall, cpu = json.loads(self.process.stdout.readline())
        return wall, cpu


@contextlib.contextmanager
def running(total: int) -> Iterator[Earlier]:
    """With as many subscribers. Raises `OSError`, `subprocess.CalledProcessError`: not here."""
    tree = subprocess.run(["git", "archive", COMMIT], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    with TemporaryDirectory() as folder, TemporaryDirectory() as instance:
        subprocess.run(["tar", "-x", "-C", folder], input=tree, check=True)
        with subprocess.Popen(
            [PYTHON, DRAIN, instance], cwd=folder, env={"PYTHONPATH": folder},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            earlier = Earlier(process)
            earlier.drained([item(number) for number in range(total)])
            yield earlier
