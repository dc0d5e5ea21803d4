"""The sender of an email, and what is missing before one can be sent."""

from typing import NamedTuple
from urllib.parse import urlsplit

from audience.config import Settings

NO_SERVER = "No mail server is set: set AUDIENCE_SMTP_URL, and restart the service."
NO_FILE = "The mail server's user has no password: set AUDIENCE_SMTP_PASSWORD_FILE and restart the service."
NO_ADDRESS = "The site has no From address: administrators set it in Settings, Pages and mail."
NO_NAME = "The site has no public name: set it in Settings, Pages and mail."


class Sender(NamedTuple):
    """The sender of a site's emails. Fields that the site has not set are empty.

    `mail_name` is the name beside the address `mail_from`.
    """

    name: str
    mail_from: str
    mail_name: str
    reply_to: str
    home: str
    imprint: str
    privacy: str
    time_zone: str


def missing(settings: Settings, sender: Sender) -> str:
    """A sentence that says what a site lacks to send emails; "" if nothing."""
    has_user = bool(urlsplit(settings.smtp_url).username)
    lacking = {
        NO_SERVER: not settings.smtp_url,
        NO_FILE: has_user and not settings.smtp_password_file,
        NO_ADDRESS: not sender.mail_from,
        NO_NAME: not sender.name,
    }
    return next((sentence for sentence, is_so in lacking.items() if is_so), "")
