"""How the public pages of a site look: reading it, and setting it."""

import hashlib
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.config import LOOPBACK
from audience.errors import Refused
from schemas.values import LANGUAGES, FieldError
from storage import database
from storage.looks import looks as stored
from storage.looks.looks import Look

__all__ = ["LANGUAGES", "Look"]

FIELDS = ("name", "home", "imprint", "privacy", "language", "accent", "base_url")
URLS = ("home", "imprint", "privacy")
MAX_NAME, MAX_URL, MAX_LOGO_BYTES = 60, 500, 2**16
COLOUR = re.compile(r"#[0-9a-f]{6}")
DOTTED = re.compile(r"\w[.\u3002\uff0e\uff61][^\W\d_]{2}")  # as in a domain
UNSEEN = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
NAME = "Write a name of at most 60 characters, without @, :// and dots within words."
URL = "Write an address that begins with https:// or http://, of at most 500 characters."
ACCENT = "Write the colour as # and six digits, such as #1d4f80."
BASE_URL = "Write https:// and a host name that leads to this service and is not the console's, such as https://a.example.com."
LANGUAGE = "Choose one of the languages."
LOGO = "Choose a PNG, JPEG or WebP picture of at most 64 KB."
HASH_LENGTH = 12


class Logo(NamedTuple):
    """A picture; `kind` is its media type."""

    content: bytes
    kind: str


@database.session()
def get(site: Site) -> Look:
    return stored.get(site.id)


@database.session()
def logo(site: Site) -> Logo | None:
    found = stored.logo(site.id)
    return found and Logo(*found)


def contact(look: Look) -> str:
    """The address at which people can reach the site; "" if none is set."""
    return look.reply_to or look.mail_from


def base_url(look: Look, public_url: str) -> str:
    """The beginning of the URLs of a site's pages: `public_url`, or the site's own address followed by
    the path of `public_url`.
    """
    return look.base_url + urlsplit(public_url).path if look.base_url else public_url


def logo_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:HASH_LENGTH]


@database.session()
def is_own_host(host: str) -> bool:
    """Whether a host, with any port, serves only a site's pages. The console does not answer there."""
    name = _name(f"//{host}")
    return name not in LOOPBACK and name in map(_name, stored.base_urls())


def change(
    site: Site,
    sent: Mapping[str, str],
    picture: bytes,
    removes_logo: bool,
    actor: Actor,
    public_url: str = "",
) -> None:
    """Sets a look from a form. The logo stays, unless there is a `picture` or it `removes_logo`.

    Raises `Refused`, also if the pages' own address is that of `public_url`, where the console answers.
    """
    look = _validate(sent, public_url)
    kind = _kind(picture) if picture else ""
    with database.write(site.id):
        before = stored.get(site.id)
        changed = [name for name in look if look[name] != getattr(before, name)]
        stored.put(site.id, look)
        if picture or (removes_logo and before.logo_hash):
            stored.put_logo(site.id, picture, kind, logo_hash(picture) if picture else "")
            changed.append("logo")
        if changed:
            typed = {name: sent.get(name, "changed") for name in changed}
            audit_log.record(actor, "look of the pages changed", site, typed=typed)


def _validate(sent: Mapping[str, str], public_url: str) -> dict[str, str]:
    """The fields of a look as sent, without the logo. Raises `Refused` with an error for each wrong one."""
    wrong = {
        "name": (NAME, not is_name(sent["name"])),
        **{field: (URL, bool(sent[field]) and not is_url(sent[field])) for field in URLS},
        "accent": (ACCENT, bool(sent["accent"]) and not COLOUR.fullmatch(sent["accent"])),
        "language": (LANGUAGE, sent["language"] not in ("", *LANGUAGES)),
        "base_url": (BASE_URL, bool(sent["base_url"]) and not _is_own(sent["base_url"], public_url)),
    }
    errors = [FieldError(field, message) for field, (message, is_wrong) in wrong.items() if is_wrong]
    if errors:
        raise Refused(errors[0].message, errors)
    return {field: sent[field] for field in wrong}


def is_name(text: str) -> bool:
    """Whether a text can be a public name: mail programs would find no address, link or domain in it."""
    return len(text) <= MAX_NAME and not any((
        "@" in text, "://" in text, DOTTED.search(text), UNSEEN.search(text),
    ))  # fmt: skip


def is_url(text: str) -> bool:
    if len(text) > MAX_URL or UNSEEN.search(text) or " " in text:
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("https", "http") and bool(parts.hostname) and "@" not in parts.netloc


def _is_own(text: str, public_url: str) -> bool:
    """Whether a URL is only a scheme and a host other than the console's."""
    parts = urlsplit(text) if is_url(text) else None
    is_bare = parts is not None and text == f"{parts.scheme}://{parts.netloc}".lower()
    return is_bare and _name(text) not in (_name(public_url), *LOOPBACK)


def _name(url: str) -> str:
    """The host of a URL, without port and final dot; "" without one."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _kind(picture: bytes) -> str:
    """The media type of a picture, from its first bytes. Raises `Refused` for any other file."""
    kinds = {
        "image/png": picture.startswith(b"\x89PNG\r\n\x1a\n"),
        "image/jpeg": picture.startswith(b"\xff\xd8\xff"),
        "image/webp": picture[:4] == b"RIFF" and picture[8:12] == b"WEBP",
    }
    kind = next((name for name, is_so in kinds.items() if is_so), "")
    if not kind or len(picture) > MAX_LOGO_BYTES:
        raise Refused(LOGO, [FieldError("logo", LOGO)])
    return kind
