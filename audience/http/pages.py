"""Pages: security headers, packed bodies, and the page of an error."""

from html import escape
from http import HTTPStatus
from urllib.parse import urlsplit

from flask import Response, request

from audience.http.services import settings

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
ERROR = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
</head>
<body>
<h1>{title}</h1>
<p>{message}</p>
</body>
</html>
"""


def public_root() -> str:
    """The path of the public address, without a trailing slash; "" for the root."""
    return urlsplit(settings().base_url).path


def packable(plain: bytes, gzipped: bytes, mimetype: str) -> Response:
    """A response with the body `gzipped` for clients that accept gzip, else `plain`."""
    packed = request.accept_encodings["gzip"] > 0
    encoding = {"Content-Encoding": "gzip"} if packed else {}
    headers = {"Vary": "Accept-Encoding"} | encoding
    return Response(gzipped if packed else plain, mimetype=mimetype, headers=headers)


def error_page(status: int, message: str) -> Response:
    title = f"{status} {HTTPStatus(status).phrase}"
    page = ERROR.format(title=title, message=escape(message))
    return Response(page, status, SECURITY_HEADERS, "text/html")
