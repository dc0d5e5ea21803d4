"""How far long work is, on standard error: a bar on a terminal, plain lines elsewhere."""

import sys
from types import TracebackType
from typing import Any, Self

import click

PARTS = 4  # lines of a step


class ShownProgress:
    """`audience.ports.Progress`, to be closed (by `with`): a bar hides the cursor."""

    def __init__(self) -> None:
        self._step = ""
        self._parts = 0
        self._bar: Any = None

    def __call__(self, step: str, done: int, total: int) -> None:
        if step != self._step:
            self._begin(step, total)
        if self._bar is not None:
            self._bar.length = total
            self._bar.update(done - self._bar.pos)
            return
        parts = PARTS * done // total if total else PARTS
        if parts > self._parts:
            self._parts = parts
            click.echo(f"{step}: {100 * parts // PARTS} %", err=True)

    def _begin(self, step: str, total: int) -> None:
        self.close()
        self._step, self._parts = step, 0
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
