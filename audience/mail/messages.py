"""The emails: fixed plain text in seven languages, with nothing in it that a visitor typed."""

import textwrap
import tomllib
from collections.abc import Mapping
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import urljoin
from zoneinfo import ZoneInfo

from audience import clock, local_dates
from audience.mail.results import ENCODED
from audience.mail.sender import Sender

WIDTH = 76
NO_BREAK = "\xa0"  # a space, which `isprintable` does not count
LABELLED = ("imprint", "privacy")  # in the footer


class SignUpAsked(NamedTuple):
    """What a confirmation says about a sign-up. Instants are in milliseconds.

    `page` is where the visitor signed up. If it is empty, the email names the sender's home page or else the
    site of the links. With `is_by_operator`, nobody signed up: the sender asks.
    """

    page: str
    requested_at: int
    expires_at: int
    confirm_url: str
    decline_url: str
    is_by_operator: bool = False


def confirmation(
    language: str, sender: Sender, email: str, message_id: str, asked: SignUpAsked
) -> EmailMessage:
    """The email with the confirmation link.

    All tries have the same `message_id`, without angle brackets, until an operator sends the sign-up again.
    """
    zone = sender.time_zone
    values = {
        "confirm_url": asked.confirm_url,
        "decline_url": asked.decline_url,
        "expires_date": local_dates.date(language, asked.expires_at, zone),
        "expires_day": local_dates.day(language, asked.expires_at, zone),
        "date": local_dates.date(language, asked.requested_at, zone),
        "time": local_dates.time(language, asked.requested_at, zone),
        "zone": zone,
        "page": asked.page or sender.home or urljoin(asked.confirm_url, "/"),
    }
    kind = "question" if asked.is_by_operator else "confirmation"
    return _message(kind, language, sender, email, values, message_id)


def links(
    language: str, sender: Sender, email: str, message_id: str, urls: Mapping[str, str]
) -> EmailMessage:
    """The email with a subscriber's links, by purpose. `message_id` is as in `confirmation`."""
    values = {f"{purpose}_url": url for purpose, url in urls.items()}
    return _message("links", language, sender, email, values, message_id)


def alarm(language: str, sender: Sender, email: str, console_url: str) -> EmailMessage:
    """The email that tells an owner that the alarm for sign-ups is on."""
    return _message("alarm", language, sender, email, {"console_url": console_url})


def test(language: str, sender: Sender, email: str) -> EmailMessage:
    return _message("test", language, sender, email, {})


@cache
def table(language: str) -> dict[str, Any]:
    """The texts of all emails in a language."""
    file = files("audience.mail") / "languages" / f"{language}.toml"
    return tomllib.loads(file.read_text("utf-8"))


def _message(
    kind: str, language: str, sender: Sender, email: str, values: dict[str, str], message_id: str = ""
) -> EmailMessage:
    """The email of a `kind`: the texts of its language, filled with `values`."""
    texts = table(language)
    values = {key: _line(value) for key, value in (values | {"name": sender.name}).items()}
    host = sender.mail_from.rpartition("@")[2]
    message = EmailMessage()
    message["From"] = _address(sender.mail_from, _line(sender.mail_name or sender.name))
    message["To"] = _address(email)
    message["Subject"] = _without_encoded_words(texts[kind]["subject"].format(**values))
    message["Date"] = datetime.fromtimestamp(clock.now_ms() // 1000, ZoneInfo(sender.time_zone))
    message["Message-ID"] = f"<{message_id}>" if message_id else make_msgid(domain=host)
    if sender.reply_to:
        message["Reply-To"] = _address(sender.reply_to)
    message["Auto-Submitted"] = "auto-generated"
    body = _wrap(texts[kind]["text"].strip().format(**values))
    message.set_content(f"{body}\n\n{_footer(texts, sender)}\n", cte="quoted-printable")
    message["Content-Language"] = language
    return message


def _footer(texts: dict[str, Any], sender: Sender) -> str:
    urls = {field: getattr(sender, field) for field in LABELLED}
    lines = [sender.name, sender.home, *(texts[field].format(url=url) for field, url in urls.items() if url)]
    return "\n".join(["-- ", *filter(None, map(_line, lines))])


def _wrap(text: str) -> str:
    """The text in lines of at most `WIDTH` characters. A longer link stays whole."""
    fill = textwrap.TextWrapper(WIDTH, break_long_words=False, break_on_hyphens=False).fill
    return "\n".join(map(fill, text.splitlines()))


def _line(text: str) -> str:
    """The text with blanks for line breaks and for invisible characters that change the text's direction."""
    return "".join(letter if letter.isprintable() or letter == NO_BREAK else " " for letter in text).strip()


def _without_encoded_words(text: str) -> str:
    """The text without encoded words (RFC 2047), from which `EmailMessage` would make header lines."""
    return text.replace(ENCODED, " ?")


def _address(email: str, name: str = "") -> Address:
    """The address, with a name that fits a line: `EmailMessage` takes the quotes away from a longer one."""
    local, _, domain = email.rpartition("@")
    unescaped = name.translate({ord('"'): "'", ord("\\"): None})
    return Address(_without_encoded_words(unescaped), _without_encoded_words(local), domain)
