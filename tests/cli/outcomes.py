"""Reads what a command says of an import."""

from typing import Any

from audience.cli import file_runs


def counts(outcome: dict[str, Any]) -> list[int]:
    """The counts of an import, in the order of the command's own list."""
    return [outcome[name] for name in file_runs.OUTCOMES]
