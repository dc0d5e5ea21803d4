"""Normalizes every request before Flask sees it (docs/contract.md, Every request)."""

import base64
import re
from collections.abc import Callable, Iterable
from typing import Any

SLASHES = re.compile(r"/{2,}")
URL_SAFE = str.maketrans("-_", "+/")

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Normalizer:
    """WSGI middleware: trims trailing and double slashes without redirects; accepts both Base64 alphabets."""

    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        normalize(environ)
        return self.application(environ, start_response)


def normalize(environ: dict[str, Any]) -> None:
    environ["PATH_INFO"] = SLASHES.sub("/", environ.get("PATH_INFO", "")).rstrip("/") or "/"
    authorization = environ.pop("HTTP_AUTHORIZATION", None)
    credentials = _credentials(authorization.strip()) if authorization else None
    if credentials:
        environ["HTTP_AUTHORIZATION"] = credentials


def _credentials(authorization: str) -> str | None:
    """A bearer token unchanged, `Basic` credentials as standard Base64 of UTF-8; None for anything else."""
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return authorization
    token = token.strip().rstrip("=").translate(URL_SAFE)
    try:
        decoded = base64.b64decode(token + "=" * (-len(token) % 4), validate=True).decode()
    except ValueError:
        return None
    if scheme.lower() != "basic" or ":" not in decoded:
        return None
    return f"Basic {base64.b64encode(decoded.encode()).decode()}"
