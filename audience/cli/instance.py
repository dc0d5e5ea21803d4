"""The instance that the commands work on: opened by what `app.py` hands in, when a command needs it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from audience.config import Settings
from audience.ports import Processes


@dataclass(frozen=True)
class Instance:
    """`open` also brings the database up to date; `connect` leaves it as it is."""

    settings: Settings
    open: Callable[[], None]
    connect: Callable[[], None]
    processes: Processes


def on_instance(command: Callable[..., Any]) -> Callable[..., Any]:
    """Opens and migrates the instance, and passes its settings first."""

    @wraps(command)
    @click.pass_obj
    def run(instance: Instance, /, *arguments: Any, **options: Any) -> Any:
        instance.open()
        return command(instance.settings, *arguments, **options)

    return run
