"""The addresses under which the console answers, and what follows from them: scheme, cookie, links."""

import re
from urllib.parse import urlsplit

from flask import request

from audience.config import LOOPBACK_NAMES
from audience.http.services import settings

HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?")
DEFAULT_PORTS = {"http": "80", "https": "443"}
MAX_PORT = 65_535
COOKIE, HTTPS_COOKIE = "audience_console_{port}", "__Secure-audience_console"


def origin() -> str | None:
    """The origin under which the browser asked, by the Host header; None if the console has another."""
    match = HOST.fullmatch(request.headers.get("Host", "").lower())
    if match is None or int(match[2] or 0) > MAX_PORT:
        return None
    public = urlsplit(settings().public_url.lower())
    name, port = match[1], match[2]
    if public.scheme and _origin_text(public.scheme, name, port) == _public_origin():
        return _public_origin() if public.scheme == "https" or name in LOOPBACK_NAMES else None
    return _origin_text("http", name, port) if name in LOOPBACK_NAMES else None


def is_from_here() -> bool:
    """Whether a page of the console under this origin sent the request. False if no header says so."""
    site, sender = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    return (site, sender) != (None, None) and site in (None, "same-origin") and sender in (None, origin())


def is_https() -> bool:
    """Whether browsers reach the console by HTTPS. If so, its cookie is sent by HTTPS alone."""
    return (origin() or "").startswith("https:")


def cookie_name() -> str:
    """The session cookie's name; by HTTP, with the port: browsers send a host's cookies to all its ports."""
    port = urlsplit(origin() or "").port or DEFAULT_PORTS["http"]
    return HTTPS_COOKIE if is_https() else COOKIE.format(port=port)


def _public_origin() -> str:
    public = urlsplit(settings().public_url.lower())
    name = public.hostname or ""
    return _origin_text(public.scheme, f"[{name}]" if ":" in name else name, public.port)


def _origin_text(scheme: str, name: str, port: str | int | None) -> str:
    """The origin as browsers write it in `Origin`: without a default port."""
    return f"{scheme}://{name}" + ("" if port is None or str(port) == DEFAULT_PORTS[scheme] else f":{port}")
