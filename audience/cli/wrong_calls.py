"""Messages for wrong calls of commands: what to write instead."""

from collections.abc import Callable, Iterable
from typing import Any

import click

LARGEST = 2**53  # of an id, which only those need to be told who exceed it
NO_VALUE, TOO_MUCH, NO_FILE = "requires an argument.", "Got unexpected extra argument", " does not exist."


class WholeNumber(click.IntRange):
    """The type of a whole number from `least` to `most`; by default to `LARGEST`, which the help omits."""

    def __init__(self, least: int, most: int | None = None) -> None:
        super().__init__(least, most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        most = LARGEST if self.max is None else self.max
        try:
            number = int(super().convert(value, param, ctx))
        except click.BadParameter:
            number = LARGEST + 1
        if number > most:
            bound = "on" if self.max is None and len(str(value)) < len(str(LARGEST)) else f"to {most:,}"
            self.fail(f"write a whole number from {self.min} {bound}, not {value!r}.", param, ctx)
        return number


class Answer(click.Choice[str]):
    """The type of the answer to a question. `ask` returns the lines of the question and its answers."""

    def __init__(self, answers: Iterable[str], ask: Callable[[], Iterable[str]]) -> None:
        super().__init__(answers)
        self.ask = ask

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ARG002 click's
        return "\n".join((f"{value!r} is no answer.", *self.ask()))


def usage_message(error: click.UsageError) -> str:
    """The message for a wrong call, which says what to write instead."""
    message = error.format_message()
    if isinstance(error, click.BadOptionUsage) and message.endswith(NO_VALUE):
        return f"{error.option_name} needs a value after it."
    if message.startswith(TOO_MUCH):
        words = message.partition("(")[2].rpartition(")")[0]
        return (
            f"`{words}` is one argument too many: leave it out, or put quotes around a value that "
            f"contains blanks."
        )
    if not isinstance(error, click.BadParameter):
        return message
    hint, type_ = _hint(error), error.param.type if error.param else None
    choices = f"write {_any_of(type_.choices)}." if isinstance(type_, click.Choice) else ""
    if isinstance(error, click.MissingParameter):
        return f"{hint} is missing{f': {choices}' if choices else '.'}"
    if choices and not isinstance(type_, Answer):
        return f"{hint}: {choices}"
    if error.message.endswith(NO_FILE):
        return f"{hint}: there is no {error.message[:1].lower()}{error.message[1:].removesuffix(NO_FILE)}."
    return f"{hint}: {error.message}" if hint else message


def _hint(error: click.BadParameter) -> str:
    """The name of the option or argument, without quotes; "" if it is not known."""
    hint = error.param_hint or (error.param.get_error_hint(error.ctx) if error.param else "")
    return str(hint).replace("'", "")


def _any_of(choices: Iterable[object]) -> str:
    *others, last = map(str, choices)
    return f"{', '.join(others)} or {last}" if others else last
