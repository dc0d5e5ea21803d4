"""`python -m tests.torture ROW…`: the attacks of these rows, or of all of them.

The long form notes how far it came in `.torture/` and goes on from there, as long as the commit is the same.
"""

import argparse
import json
import platform
import subprocess
import sys
import time
import traceback
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from pkgutil import resolve_name
from random import Random
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
STATE = ROOT / ".torture"
ROWS = (
    "kill", "power", "disk", "clock", "redis", "dns", "slow", "bytes", "schema", "model", "consent",
    "tenants", "canaries", "parsers", "memory", "backup", "soak",
)  # fmt: skip
MAX_FAILURES = 5
NOTED_SECONDS = 5.0


@dataclass
class Progress:
    """How far a row came; `figures` are the worst that were measured."""

    seed: int
    commit: str
    done: int = 0
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)

    def note(self, figures: dict[str, float] | None) -> None:
        for name, value in (figures or {}).items():
            self.figures[name] = max(value, self.figures.get(name, value))


class Run:
    """The attacks of one row, from where it stands to `total`."""

    def __init__(self, name: str, chosen: argparse.Namespace) -> None:
        self.name, self.chosen = name, chosen
        self.row = resolve_name(f"tests.torture.{name}")
        self.total: int = self.row.SHORT if chosen.short else self.row.LONG
        self.progress = self._begun()
        self._began, self._noted = time.monotonic(), 0.0

    def _begun(self) -> Progress:
        fresh = Progress(self.chosen.seed, commit())
        if self.chosen.only is not None:
            self.total = self.chosen.only + 1
            fresh.done = self.chosen.only
        file = STATE / f"{self.name}.json"
        if self._is_noted() and file.exists():
            kept = Progress(**json.loads(file.read_text()))
            if (kept.seed, kept.commit) == (fresh.seed, fresh.commit):
                return kept
        return fresh

    def _is_noted(self) -> bool:
        return not self.chosen.short and self.chosen.only is None

    def attack(self) -> None:
        """Opens the row anew after each failure."""
        before = self.progress.seconds
        while not self._is_over():
            try:
                with self.row.opened(self.chosen.short) as attack:
                    while not self._is_over():
                        number = self.progress.done
                        self.progress.done += 1
                        self.progress.note(attack(number, Random(f"{self.chosen.seed}:{number}")))
                        self._note()
            except Exception as error:
                self._failed(error)
            finally:
                self.progress.seconds = before + time.monotonic() - self._began
        self._note(last=True)

    def _is_over(self) -> bool:
        late = self.chosen.seconds and time.monotonic() - self._began > self.chosen.seconds
        return late or self.progress.done >= self.total or len(self.progress.failures) >= MAX_FAILURES

    def _failed(self, error: Exception) -> None:
        number = max(0, self.progress.done - 1)
        self.progress.done = number + 1
        traceback.print_exception(error, limit=-6)
        repeat = f"make torture ROW={self.name} SEED={self.chosen.seed} ONLY={number}"
        self.progress.failures.append(f"{self.row.UNIT} {number}: repeat it with: {repeat}")
        print(f"{self.name}: {self.progress.failures[-1]}", flush=True)

    def _note(self, last: bool = False) -> None:
        if self._is_noted() and (last or time.monotonic() > self._noted + NOTED_SECONDS):
            self._noted = time.monotonic()
            STATE.mkdir(exist_ok=True)
            (STATE / f"{self.name}.json").write_text(json.dumps(asdict(self.progress)))

    def line(self) -> str:
        """A row of the table in docs/reliability.md."""
        only, found = self.chosen.only, self.progress.failures
        tried = f"{self.progress.done:,} of {self.total:,}" if only is None else f"number {only} of the"
        figures = ", ".join(f"{name} {value:.0f}" for name, value in self.progress.figures.items())
        outcome = f"{len(found)} failed" if found else "nothing failed"
        took, seed = f"{self.progress.seconds:.0f} s", f"seed {self.progress.seed}"
        at = (f"{datetime.now(UTC):%Y-%m-%d}", self.progress.commit, machine())
        cells = [self.name, f"{tried} {self.row.UNIT}", outcome, figures or "–", took, seed, *at]
        return f"| {' | '.join(cells)} |"


def commit() -> str:
    read: Any = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return read.stdout.strip() or "no commit"


def machine() -> str:
    cores = len(Path("/proc/cpuinfo").read_text().split("\nprocessor\t")) if sys.platform == "linux" else "?"
    return f"{cores} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}")
    parser.add_argument("--short", action="store_true", help="the form that CI runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="one attack, by its number")
    parser.add_argument("--seconds", type=float, default=0.0, help="when to stop; the next run goes on")
    chosen = parser.parse_args()
    failed = False
    for name in chosen.rows or ROWS:
        try:
            run = Run(name, chosen)
            run.attack()
        except pytest.skip.Exception as reason:
            print(f"| {name} | skipped: {reason} |", flush=True)
            continue
        print(run.line(), flush=True)
        failed = failed or bool(run.progress.failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
