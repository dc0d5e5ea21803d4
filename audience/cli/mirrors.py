"""`audience mirror`: a file that follows a site (docs/integrations.md)."""

from pathlib import Path
from typing import Any

import click

from audience.access.sites import Site
from audience.cli.options import on_site
from audience.cli.output import show
from audience.config import Settings
from audience.searches import mirrors

TARGET = "give sqlite:FILE or jsonl:FILE"


def _target(_: click.Context, _option: click.Parameter, text: str) -> tuple[str, Path]:
    """The form and the file of a mirror."""
    form, _separator, file = text.partition(":")
    if form not in mirrors.FORMATS or not file or Path(file).is_dir():
        raise click.BadParameter(TARGET)
    return form, Path(file)


@click.command()
@click.option("--to", required=True, metavar="TARGET", callback=_target, help="sqlite:FILE or jsonl:FILE.")
@click.option("--once", is_flag=True, help="End when the mirror is level, instead of following.")
@on_site
def mirror(_: Settings, to: tuple[str, Path], once: bool, site: Site, as_json: bool) -> None:
    """Keep a file equal to a site: its subscribers, tags and events. It goes on where it was ended.

    Example: audience mirror --to sqlite:people.db --once --site 6f1c...
    """
    counts: dict[str, Any] = mirrors.mirror(site, *to, once, lambda text: click.echo(text, err=True))
    words = "{subscribers} subscribers, {tags} tags of them and {events} events, up to change {change}."
    show(counts, as_json, [words.format(**counts)])
