"""`audience demo`: a site to look around in."""

import click

from audience import demo as demonstration
from audience.cli.instance import on_instance
from audience.cli.output import as_json
from audience.cli.progress import ShownProgress
from audience.cli.sites import show_keys
from audience.config import Settings


@click.command()
@click.option("--people", type=click.IntRange(1, 1_000_000), default=demonstration.PEOPLE, show_default=True)
@as_json
@on_instance
def demo(settings: Settings, people: int, as_json: bool) -> None:
    """Make a site with invented people, tags, fields and events of the last 90 days. Its keys are shown once.

    `audience site delete` takes it away again.

    Example: audience demo --people 500
    """
    with ShownProgress() as progress:
        site, key = demonstration.create(settings.instance, people, progress)
    show_keys(settings, site, key, as_json)
