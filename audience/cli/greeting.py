"""What `audience serve` prints: each step of the start, then the addresses, and goodbye at the end."""

import sys
from collections.abc import Iterable
from pathlib import Path

from audience.config import Settings
from audience.privacy import secret_files

PLACE_TABLE = "geo.table"  # of `audience.answers.geolocation`
GOODBYE = "Goodbye. Everything is stopped, and all that was accepted is kept."
FIRST_SITE = """
Your first site, its keys shown this once:

  site_uuid        {site_uuid}
  publishable_key  {publishable_key}
  secret_key       {secret_key}

Create a subscriber:

  curl -u '{publishable_key}:{secret_key}' '{base_url}/api/v1/fetch/subscribers?site_uuid={site_uuid}' \\
    -H 'Content-Type: application/json' -d '{{"subscriber": {{"email": "ann@example.com", "tags": "vip"}}}}'
"""
BLOCK = """
Audience is at {url}  (Ctrl-C stops it)

  Docs     {url}/docs
  Console  {console}
  Keys     {keys}
  Next     {program} demo
"""
LINK = "{link}\n           (signs you in once, within 15 minutes)"
NO_LINK = "{program} console prints a link"


def steps(settings: Settings, web_only: bool) -> Iterable[str]:
    """Lines that announce the steps of the start."""
    redis = "" if settings.redis_url else "Redis, "
    worker = "" if web_only else " and the import worker"
    yield f"Starting {redis}the web server{worker}, about 3 s"
    if not settings.geo_database and not (settings.instance / PLACE_TABLE).exists():
        yield "Packing the place table, about 8 s (once, meanwhile; only geolocation waits for it)"


def greeting(url: str, settings: Settings, first: dict[str, str] | None, link: str | None) -> str:
    """The text with the service's addresses; on a terminal, also with the new first site's keys in `first`.

    `link` signs in to the console once.
    """
    keys = FIRST_SITE.format(**first) if first and sys.stdout.isatty() else ""
    console = (LINK if link else NO_LINK).format(link=link, program=_program())
    return keys + BLOCK.format(url=url, console=console, keys=_keys(settings), program=_program())


def _keys(settings: Settings) -> str:
    """Where the first site's keys are: their file, or how to list keys without it."""
    file = settings.instance / secret_files.FIRST_SITE
    return str(file) if file.exists() else f"{_program()} key list names them; key create makes another"


def _program() -> str:
    """The program's name as it was called, so that the next command can be copied."""
    return sys.argv[0] if Path(sys.argv[0]).name == "audience" else "audience"
