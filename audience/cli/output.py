"""Prints results as JSON or as lines."""

import json
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import click

from audience.errors import AudienceError
from schemas.values import FormError

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def is_terminal() -> bool:
    """Whether a terminal is attached, so that a question can be answered."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class Partly(click.ClickException):
    """The command was done in part. The message says which part was not done."""

    exit_code = 3


def refused_as_json(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a command: with `--json`, also prints a refusal as JSON, as the API returns it."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except (AudienceError, click.ClickException) as shown:
            error = shown.__cause__ or shown
            if options.get("as_json") and isinstance(error, AudienceError | FormError):
                from schemas.base import errors

                listed = errors(error.problems if isinstance(error, FormError) else error.errors)
                refusal = {"error": shown.message, "code": error.code}
                click.echo(json.dumps(refusal | ({"errors": listed} if listed else {})))
            raise

    return run


def printable(text: str) -> str:
    """`text` with `?` for each control character, which could steer the terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def counted(number: int, noun: str) -> str:
    """A number with its noun, given as singular, such as `1 subscriber` or `2,000 subscribers`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def show(answer: Any, as_json: bool, lines: Iterable[str]) -> None:
    """Prints `answer` as one JSON document or, unless `as_json`, the lines."""
    for line in (json.dumps(answer),) if as_json else lines:
        click.echo(line)
