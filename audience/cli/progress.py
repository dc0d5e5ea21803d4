"""Progress on standard error: a bar on a terminal, otherwise plain lines."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import click

LINES = 10  # per step


class ShownProgress:
    """An `audience.protocols.Progress`, to use in `with`: its bar hides the cursor until it is closed."""

    def __init__(self) -> None:
        self._step = ""
        self._lines = 0
        self._bar: Any = None

    def __call__(self, step: str, done: int, total: int) -> None:
        if step != self._step:
            self._begin(step, total)
        if self._bar is not None:
            self._bar.length = total
            self._bar.update(done - self._bar.pos)
            return
        lines = LINES * done // total if total else LINES
        if lines > self._lines:
            self._lines = lines
            click.echo(f"{step}: {100 * lines // LINES}%", err=True)

    def _begin(self, step: str, total: int) -> None:
        self.close()
        self._step, self._lines = step, 0
        if sys.stderr.isatty():
            self._bar = click.progressbar(length=total, label=f"{step:<10}", file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def progress(step: str, total: int, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Shows the progress of a step, unless `quiet`. Yields a function that adds to the number done."""
    if quiet or not total:
        yield lambda _: None
        return
    done = 0
    with ShownProgress() as shown:

        def advance(part: int) -> None:
            nonlocal done
            done += part
            shown(step, done, total)

        yield advance
