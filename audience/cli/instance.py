"""The instance that the commands work on: opened by what `app.py` hands in, when a command needs it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from audience.config import Settings
from audience.errors import Refused
from audience.ports import Processes
from schemas.wire import FormError


@dataclass(frozen=True)
class Instance:
    """`open` also brings the database up to date; `connect` leaves it as it is."""

    settings: Settings
    open: Callable[[], None]
    connect: Callable[[], None]
    processes: Processes


def on_instance(command: Callable[..., Any]) -> Callable[..., Any]:
    """Opens and migrates the instance, and passes its settings first; shows each value that is refused."""

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
    return "\n".join(f"{each.field}: {each.message}" for each in problems)
