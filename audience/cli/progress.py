"""How far long work is: a bar on a terminal, plain lines elsewhere, nothing where JSON is asked for."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

LINES = 10


@contextmanager
def progress(label: str, length: int, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Gives a function to be told of each part that is done, of `length` in all."""
    if quiet or not length:
        yield lambda _: None
    elif sys.stdout.isatty():
        with click.progressbar(length=length, label=label) as bar:
            yield bar.update
    else:
        yield Lines(label, length).advance


class Lines:
    """A line for each tenth."""

    def __init__(self, label: str, length: int) -> None:
        self.label = label
        self.length = length
        self.done = 0
        self.told = 0

    def advance(self, part: int) -> None:
        self.done += part
        tenths = self.done * LINES // self.length
        if tenths > self.told:
            self.told = tenths
            click.echo(f"{self.label}: {tenths * 100 // LINES}%")
