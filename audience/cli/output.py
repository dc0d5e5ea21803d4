"""Prints results as JSON or as lines."""

import json
from collections.abc import Iterable
from typing import Any

import click

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class Partly(click.ClickException):
    """The command was done in part. The message tells which part was not done."""

    exit_code = 3


def show(answer: Any, as_json: bool, lines: Iterable[str]) -> None:
    """Prints `answer` as one JSON document or, unless `as_json`, the lines."""
    for line in (json.dumps(answer),) if as_json else lines:
        click.echo(line)
