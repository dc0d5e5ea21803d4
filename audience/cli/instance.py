"""The instance of a command, opened by functions from `app.py` when the command needs it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from audience.config import Settings
from audience.errors import Refused
from audience.operations.openers import Openers
from audience.protocols import ChildProcess, Processes
from schemas.base import FormError


@dataclass(frozen=True)
class Instance:
    """`open` opens the instance and migrates its database."""

    settings: Settings
    open: Callable[[], None]
    openers: Openers
    processes: Processes
    child_process: ChildProcess


def on_instance(command: Callable[..., Any]) -> Callable[..., Any]:
    """Opens and migrates the instance, passes its settings first, and prints an error per refused value."""

    @wraps(command)
    @click.pass_obj
    def run(instance: Instance, /, *arguments: Any, **options: Any) -> Any:
        instance.open()
        try:
            return command(instance.settings, *arguments, **options)
        except FormError as error:
            raise click.ClickException(_listed(error.problems)) from error
        except Refused as error:
            if not error.errors:
                raise
            raise click.ClickException(_listed(error.errors)) from error

    return run


def _listed(problems: Iterable[Any]) -> str:
    return "\n".join(f"{problem.field}: {problem.message}" for problem in problems)
