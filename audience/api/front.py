"""What is put right in every request before Flask sees it (contract section 1)."""

import base64
import re
from collections.abc import Callable, Iterable
from typing import Any

SLASHES = re.compile(r"/{2,}")
URL_SAFE = str.maketrans("-_", "+/")

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Front:
    """Slashes that trail or double are dropped, without a redirect; Base64 of either alphabet is accepted."""

    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        environ["PATH_INFO"] = SLASHES.sub("/", environ.get("PATH_INFO", "")).rstrip("/") or "/"
        authorization = environ.pop("HTTP_AUTHORIZATION", None)
        credentials = _credentials(authorization.strip()) if authorization else None
        if credentials:
            environ["HTTP_AUTHORIZATION"] = credentials
        return self.application(environ, start_response)


def _credentials(authorization: str) -> str | None:
    """A bearer's token as it is, `Basic` credentials in standard Base64 of UTF-8 text; None for others."""
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
