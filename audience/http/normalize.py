"""Normalizes every request before Flask sees it (docs/contract.md, Every request)."""

import base64
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

CREDENTIALS = "audience.credentials"  # of a request, in its WSGI environ
SLASHES = re.compile(r"/{2,}")
URL_SAFE = str.maketrans("-_", "+/")

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Normalizer:
    """WSGI middleware that removes trailing and double slashes, and accepts both Base64 alphabets."""

    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        normalize(environ)
        return self.application(environ, start_response)


class Credentials(NamedTuple):
    username: str
    password: str


def normalize(environ: dict[str, Any]) -> None:
    """Normalizes the path of a request, and moves its credentials from the header to `CREDENTIALS`, once.

    Only a bearer token stays in the header.
    """
    if CREDENTIALS in environ:
        return
    environ["PATH_INFO"] = SLASHES.sub("/", environ.get("PATH_INFO", "")).rstrip("/") or "/"
    authorization = environ.pop("HTTP_AUTHORIZATION", "").strip()
    environ[CREDENTIALS] = _credentials(authorization)
    if authorization[:7].lower() == "bearer ":
        environ["HTTP_AUTHORIZATION"] = authorization


def _credentials(authorization: str) -> Credentials | None:
    """The credentials in a header of HTTP Basic authentication; None for other headers.

    Also None if they are not UTF-8, or have a NUL, which not every database can compare.
    """
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "basic":
        return None
    token = token.strip().rstrip("=").translate(URL_SAFE)
    try:
        decoded = base64.b64decode(token + "=" * (-len(token) % 4), validate=True).decode()
    except ValueError:
        return None
    username, colon, password = decoded.partition(":")
    return Credentials(username, password) if colon and "\0" not in decoded else None
