"""What `audience serve` says once it answers."""

import sys

from audience import secret_files
from audience.config import Settings

FIRST_SITE = """
Your first site, shown once (also in the instance folder, in first-site.json):

  site_uuid        {site_uuid}
  publishable_key  {publishable_key}
  secret_key       {secret_key}

Create a subscriber:

  curl -u '{publishable_key}:{secret_key}' '{base_url}/api/v1/fetch/subscribers?site_uuid={site_uuid}' \\
    -H 'Content-Type: application/json' -d '{{"subscriber": {{"email": "ann@example.com", "tags": "vip"}}}}'
"""


def greeting(url: str, settings: Settings, first: dict[str, str] | None) -> str:
    """The service's address; on a terminal also the keys of a new first site, this once."""
    address = f"Audience is at {url}  (Ctrl-C stops it)"
    if not first:
        return address
    if sys.stdout.isatty():
        return f"{address}\n{FIRST_SITE.format(**first)}"
    return f"{address}\nThe first site and its keys are in {settings.instance / secret_files.FIRST_SITE}"
