"""`audience demo`: a site with fictional subscribers."""

import click

from audience.cli.instance import on_new_instance
from audience.cli.output import as_json
from audience.cli.progress import ShownProgress
from audience.cli.sites import show_keys
from audience.cli.wrong_calls import WholeNumber
from audience.config import Settings
from audience.operations import demo as demo_site


@click.command()
@click.option(
    "--people", "count", type=WholeNumber(1, 1_000_000), default=demo_site.SUBSCRIBERS, show_default=True
)
@as_json
@on_new_instance
def demo(settings: Settings, count: int, as_json: bool) -> None:
    """Create a site with two years of fictional subscribers, tags, fields, events, imports and segments. Its
    keys are printed only now. `audience site delete` deletes the site again.

    Example: audience demo --people 500
    """
    with ShownProgress() as progress:
        site, key = demo_site.create(settings.instance, count, progress)
    show_keys(settings, site, key, as_json)
