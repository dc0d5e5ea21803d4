"""Origins: a scheme, a host and a port, as browsers send them."""

import re
from urllib.parse import urlsplit

from audience.answers.domains import a_labels
from audience.looks import looks

HOST = re.compile(r"[a-z0-9._-]{1,253}")
PORTS = {"https": 443, "http": 80}


def origin_of(url: str) -> str:
    """The origin of a URL; empty if the URL has none."""
    try:
        parts = urlsplit(url if looks.is_url(url) else "")
        host, port = a_labels(parts.hostname or ""), parts.port
    except ValueError:
        return ""
    shown_port = "" if port in (None, PORTS.get(parts.scheme)) else f":{port}"
    return f"{parts.scheme}://{host}{shown_port}" if HOST.fullmatch(host) else ""
