"""Wires the rooms, decides nothing."""

import sys

import click

from audience import config


def main() -> None:
    """The entry point `audience`."""
    try:
        config.load()
    except config.SettingError as error:
        click.echo(f"audience: {error}", err=True)
        sys.exit(2)
