"""What a command says of an import."""

from typing import Any

from audience.cli import import_jobs


def counts(outcome: dict[str, Any]) -> list[int]:
    """In the order of the command's own list."""
    return [outcome[name] for name in import_jobs.OUTCOMES]
