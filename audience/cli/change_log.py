"""`audience changes`: the record of changes (docs/integrations.md)."""

import json
import time
from collections.abc import Iterator

import click

from audience.access.sites import Site
from audience.changes import pages as change_log_pages
from audience.changes.pages import LoggedChange
from audience.cli.instance import on_instance, site_option
from audience.cli.output import printable
from audience.cli.wrong_calls import WholeNumber
from audience.config import Settings
from schemas.change_log import change
from schemas.values import write_date

FOLLOW_SECONDS = 1.0


@click.command()
@click.option(
    "--after",
    type=WholeNumber(0),
    help="Start after the change with this number; by default, after the newest change.",
)
@click.option("--follow", is_flag=True, help="Keep printing new changes until Ctrl-C.")
@site_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@on_instance
def changes(_: Settings, after: int | None, follow: bool, site: Site, as_json: bool) -> None:
    """Print the changes after a given number, one per line, oldest first.

    Example: audience changes --after 0 --follow --site 6f1c...
    """
    bounds = change_log_pages.page(site, None, 1)
    cursor = bounds.newest if after is None else after
    if after is None and not follow:
        shown = {"newest": str(bounds.newest), "oldest": str(bounds.oldest)}
        click.echo(json.dumps(shown) if as_json else f"Numbers {bounds.oldest} to {bounds.newest}.")
    for entry in _after(site, cursor, follow):
        click.echo(json.dumps(change(entry), ensure_ascii=False) if as_json else _line(entry))


def _after(site: Site, cursor: int, follow: bool) -> Iterator[LoggedChange]:
    """Yields the changes after `cursor`; with `follow`, waits for further changes without end."""
    while True:
        page = change_log_pages.page(site, cursor, change_log_pages.MAX_PAGE)
        yield from page.changes
        cursor = page.next
        if not page.has_more:
            if not follow:
                return
            time.sleep(FOLLOW_SECONDS)


def _line(logged: LoggedChange) -> str:
    source = " ".join(filter(None, logged.source))
    whom = printable(logged.email or logged.uuid or "")
    names = printable(", ".join(logged.changed))
    return f"{logged.number}  {write_date(logged.at)}  {logged.kind:<12}  {source}  {whom}  {names}".rstrip()
