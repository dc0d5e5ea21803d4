"""Where a sign-in leads."""

from urllib.parse import urlsplit

from audience.console.page import url
from audience.http.pages import public_root


def inside(target: str) -> str:
    """A path of the console that a sign-in may lead to; the console's first page for any other."""
    return public_root() + target if is_inside(target) else url("console.overview.home")


def is_inside(target: str) -> bool:
    """Whether a target is a path of the console, and nothing on the way takes it for another.

    No path of the console has an encoded character: `%2e` is a dot to browsers, `%5c` a slash to some.
    """
    if not target.isascii() or not target.isprintable() or "\\" in target:
        return False
    parts = urlsplit(target)
    segments = parts.path.split("/")[1:]
    is_path = not parts.scheme and not parts.netloc and "%" not in parts.path
    return is_path and segments[:1] == ["console"] and not {"", ".", ".."} & set(segments[1:])
