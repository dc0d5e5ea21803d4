"""`python -m tests.torture ROW…`: the attacks of these rows, or of all rows.

The long form notes its progress in `.torture/` and continues from there, as long as the commit is the same
and nothing was changed since. All rows in their short form are followed by those on PostgreSQL that fit into
the time of CI.
"""

import argparse
import json
import platform
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from pkgutil import resolve_name
from random import Random
from typing import Any

import pytest

from tests.torture import stores

ROOT = Path(__file__).parent.parent.parent
STATE = ROOT / ".torture"
ROWS = (
    "kill", "power", "disk", "clock", "redis", "dns", "slow", "bytes", "schema", "model", "consent", "order",
    "undo", "mirror", "tenants", "canaries", "parsers", "memory", "backup", "sign_up", "soak", "hosts",
)  # fmt: skip
NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
SHORT_ON_SERVER = ("canaries", "model", "undo", "clock")
OF_SERVER = frozenset({"hosts"})
OF_SQLITE = frozenset({"power", "disk"})  # which attack its file
ANEW = frozenset({"soak"})  # which measures one service from its start
MAX_FAILURES = 5
NOTED_SECONDS = 5.0


@dataclass
class Progress:
    """The progress of a row; `figures` are the worst that were measured."""

    seed: int
    commit: str
    done: int = 0
    date: str = field(default_factory=lambda: today())
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)

    def note(self, figures: dict[str, float] | None) -> None:
        for name, value in (figures or {}).items():
            self.figures[name] = max(value, self.figures.get(name, value))


class Run:
    """The attacks of one row, from where it stands to `total`."""

    def __init__(self, name: str, engine: str, chosen: argparse.Namespace) -> None:
        if engine != "sqlite" and name in OF_SQLITE:
            pytest.skip("of SQLite alone")
        if engine == "sqlite" and name in OF_SERVER:
            pytest.skip("of PostgreSQL alone")
        self.name, self.engine, self.chosen = name, engine, chosen
        self.row = resolve_name(f"tests.torture.{name}")
        self.total: int = self.row.SHORT if chosen.short else self.row.LONG
        self._file = STATE / f"{name}-{engine}.json"
        name_of_commit, is_unchanged = commit()
        is_long = not chosen.short and chosen.only is None
        self._is_noted = is_long and is_unchanged and name not in ANEW
        self.progress = self._begun(name_of_commit)
        self._began, self._noted, self._before = time.monotonic(), 0.0, self.progress.seconds
        self._first = self.progress.done

    def _begun(self, name_of_commit: str) -> Progress:
        fresh = Progress(self.chosen.seed, name_of_commit)
        if self.chosen.only is not None:
            self.total = self.chosen.only + 1
            fresh.done = self.chosen.only
        if self._is_noted and self._file.exists():
            kept = Progress(**json.loads(self._file.read_text()))
            if (kept.seed, kept.commit) == (fresh.seed, fresh.commit):
                return kept
        return fresh

    def attack(self) -> None:
        """Runs the attacks. Reopens the row after each failure; a row that does not open has failed."""
        is_open = True
        while is_open and not self._is_over():
            is_open = False
            try:
                with self.row.opened(self.chosen.short) as attack:
                    is_open = True
                    while not self._is_over():
                        self._try(attack)
            except pytest.skip.Exception:
                if not self.progress.failures:
                    raise
            except Exception as error:
                self._failed(error, self.progress.done - is_open)
        self._note(last=True)

    def _try(self, attack: Any) -> None:
        number = self.progress.done
        self.progress.done += 1
        self.progress.date = today()
        self.progress.note(attack(number, Random(f"{self.chosen.seed}:{number}")))
        self._note()

    def _is_over(self) -> bool:
        late = self.chosen.seconds and time.monotonic() - self._began > self.chosen.seconds
        is_late = late and self.progress.done > self._first
        return is_late or self.progress.done >= self.total or len(self.progress.failures) >= MAX_FAILURES

    def _failed(self, error: Exception, number: int) -> None:
        traceback.print_exception(error, limit=-6)
        repeat = f"make torture ROW={self.name} ENGINE={self.engine} SEED={self.chosen.seed} ONLY={number}"
        self.progress.failures.append(f"{self.row.UNIT} {number}: repeat it with: {repeat}")
        print(f"{self.name}: {self.progress.failures[-1]}", flush=True)
        self._note(last=True)

    def _note(self, last: bool = False) -> None:
        self.progress.seconds = self._before + time.monotonic() - self._began
        if self._is_noted and (last or time.monotonic() > self._noted + NOTED_SECONDS):
            self._noted = time.monotonic()
            STATE.mkdir(exist_ok=True)
            self._file.write_text(json.dumps(asdict(self.progress)))

    def line(self) -> str:
        """The row of the table in README.md."""
        only, found = self.chosen.only, len(self.progress.failures)
        tried = f"{self.progress.done:,} of {self.total:,}" if only is None else f"number {only} of the"
        form = " (short form)" if self.chosen.short else ""
        figures = ", ".join(f"{name} {value:.0f}" for name, value in self.progress.figures.items())
        cells = [
            self.name,
            NAMES[self.engine],
            f"{tried} {self.row.UNIT}{form}",
            str(found or "none"),
            figures,
            f"{self.progress.seconds:.0f} s",
            str(self.progress.seed),
            self.progress.date,
            self.progress.commit,
        ]
        return f"| {' | '.join(cells)} |"


def commit() -> tuple[str, bool]:
    """(short name of the commit, whether nothing was changed since)."""
    name, changed = git("rev-parse", "--short", "HEAD"), git("status", "--porcelain")
    if not name:
        return "no commit", False
    return (f"{name} and changes", False) if changed else (name, True)


def git(*words: str) -> str:
    read = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return read.stdout.strip()


def today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"


def machine() -> str:
    cores = len(Path("/proc/cpuinfo").read_text().split("\nprocessor\t")) if sys.platform == "linux" else "?"
    return f"{cores} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}")
    parser.add_argument("--short", action="store_true", help="the form that CI runs")
    parser.add_argument("--engine", choices=stores.ENGINES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="one attack, by its number")
    parser.add_argument("--seconds", type=float, default=0.0, help="of a row; the next run goes on")
    parser.add_argument("--within", type=float, default=inf, help="seconds after which no row begins")
    chosen = parser.parse_args(words)
    began, failed = time.monotonic(), False
    print(f"On {machine()}:", flush=True)
    for name, engine in planned(chosen):
        try:
            if time.monotonic() - began > chosen.within:
                pytest.skip(f"{chosen.within:.0f} s are over")
            run = Run(name, engine, chosen)
            with stores.opened(engine):
                run.attack()
        except pytest.skip.Exception as reason:
            print(f"| {name} | {NAMES[engine]} | skipped: {reason} |", flush=True)
            continue
        print(run.line(), flush=True)
        failed = failed or bool(run.progress.failures)
    return 1 if failed else 0


def planned(chosen: argparse.Namespace) -> list[tuple[str, str]]:
    """The (row, engine) pairs to run."""
    plan = [(name, chosen.engine or "sqlite") for name in chosen.rows or ROWS]
    if chosen.short and not (chosen.rows or chosen.engine):
        plan += [(name, "postgresql") for name in SHORT_ON_SERVER]
    return plan


if __name__ == "__main__":
    sys.exit(main())
