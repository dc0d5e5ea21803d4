"""Tests that passed only when CI tried them again: each has a line in `second_tries.txt`.

Whoever looks into a test commits its line, and removes it together with the cause.
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest

FILE = Path(__file__).with_suffix(".txt")


class SecondTries:
    """A plugin of pytest for a second run, of tests that failed in the first."""

    def __init__(self, file: Path, engine: str) -> None:
        self._file, self._engine = file, engine

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            with self._file.open("a") as file:
                file.write(f"{datetime.now(UTC):%Y-%m-%d} {report.nodeid} ({self._engine})\n")
