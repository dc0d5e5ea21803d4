"""`audience mirror`: a file or a database that follows a site (docs/integrations.md)."""

from pathlib import Path
from typing import Any

import click

from audience.access.sites import Site
from audience.cli.instance import on_site
from audience.cli.output import counted, show
from audience.config import Settings
from audience.operations import moves, opening
from audience.searches import mirrors
from audience.searches.mirrors import Target

TARGET = "give sqlite:FILE, jsonl:FILE or postgresql://USER@HOST/DATABASE"


def _target(_: click.Context, _option: click.Parameter, text: str) -> Target:
    """The target in an option such as `sqlite:people.db`. Raises `BadParameter`."""
    form, _separator, location = text.partition(":")
    if form == mirrors.SERVER and location.startswith("//"):
        return Target(form, _url(text))
    if form not in mirrors.FILES or not location or Path(location).is_dir():
        raise click.BadParameter(TARGET)
    return Target(form, location)


def _url(text: str) -> str:
    try:
        return moves.target_url(text)
    except ValueError:  # its text may have the password
        raise click.BadParameter(TARGET) from None


@click.command()
@click.option("--to", required=True, metavar="TARGET", callback=_target, help=f"{TARGET.capitalize()}.")
@click.option("--password-file", default="", metavar="FILE", help="File with the password for that database.")
@click.option(
    "--once", is_flag=True, help="Stop when the mirror is up to date, instead of following later changes."
)
@on_site
def mirror(_: Settings, to: Target, password_file: str, once: bool, site: Site, as_json: bool) -> None:
    """Copy a site's subscribers, tags and events to a file or database, and keep it up to date.

    A later run continues where the last one ended.

    Example: audience mirror --to sqlite:people.db --once --site 6f1c...
    """
    target = to._replace(password=opening.password(password_file))
    counts: dict[str, Any] = mirrors.mirror(site, target, once, lambda text: click.echo(text, err=True))
    numbers = [counted(counts[f"{noun}s"], noun) for noun in ("subscriber", "tag", "event")]
    show(counts, as_json, [f"{', '.join(numbers)}, up to change {counts['change']}."])
