"""What `audience serve` prints: each step of the start, then the addresses, and goodbye at the end."""

import sys
from collections.abc import Iterable
from pathlib import Path

from audience.config import Settings
from audience.privacy import secret_files

PLACE_TABLE = "geo.table"  # of `audience.answers.geolocation`
GOODBYE = "Audience has stopped. Everything that it accepted is kept."
BLOCK = """
Audience is at {url}  (Ctrl-C stops it)

  Console  {console}
  Docs     {url}/docs
  Keys     {keys}
"""
LINK = "{link}\n           (begin here: the link works once, within 15 minutes)"
NO_LINK = "{url}/console  ({program} console prints a link that signs in)"


def steps(settings: Settings, web_only: bool) -> Iterable[str]:
    """Lines that announce the steps of the start."""
    redis = "" if settings.redis_url else "Redis, "
    worker = "" if web_only else " and the import worker"
    yield f"Starting {redis}the web server{worker}, about 3 s"
    if not settings.geo_database and not (settings.instance / PLACE_TABLE).exists():
        yield "Packing the place table, about 8 s (once; only geolocation waits for it)"


def greeting(url: str, settings: Settings, link: str | None) -> str:
    """The addresses of the service, with the first link to the console if there is no operator yet."""
    console = (LINK if link else NO_LINK).format(link=link, url=settings.console_url, program=_program())
    return BLOCK.format(url=url, console=console, keys=_keys(settings))


def _keys(settings: Settings) -> str:
    """Where the first site's keys are: their file, or how to list keys without it."""
    file = settings.instance / secret_files.FIRST_SITE
    return str(file) if file.exists() else f"{_program()} key list names them; key create makes another"


def _program() -> str:
    """The program's name as it was called, so that the next command can be copied."""
    return sys.argv[0] if Path(sys.argv[0]).name == "audience" else "audience"
