"""The result of sending an email, and the mail server of the settings. Does not import `smtplib`: see
`session.py`.
"""

from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from audience.config import Settings
from audience.privacy import redaction

SENT = "sent"
REFUSED = "refused"  # for good: this recipient, or this message
LATER = "later"  # again, under the same Message-ID
UNSURE = "unsure"  # it may have been taken: again once, under the same Message-ID
PAUSED = "paused"  # the mail server takes none now, whoever it is for: no try of this email
STOPPED = "stopped"  # no longer wanted, by the last look before it was handed over

PLAIN, UPGRADED, ENCRYPTED = "smtp+plain", "smtp", "smtps"
PORTS = {PLAIN: 25, UPGRADED: 587, ENCRYPTED: 465}
CONNECT, STARTTLS, AUTH, QUIT = "connect", "STARTTLS", "AUTH", "QUIT"
SHOWN_LENGTH = 300
ENCODED = "=?"  # begins an encoded word in a header


class MailResult(NamedTuple):
    """The result of sending an email. `said` is the mail server's answer without addresses, or a sentence."""

    status: str
    said: str


class SmtpServer(NamedTuple):
    """The mail server. `user` is empty without sign-in. `own_name` is the name with which the service
    greets it.
    """

    scheme: str
    host: str
    port: int
    user: str
    password_file: str
    own_name: str

    @property
    def steps(self) -> list[str]:
        """The names of the steps around the sending, in order."""
        encrypt = [STARTTLS] if self.scheme == UPGRADED else []
        return [CONNECT, *encrypt, *([AUTH] if self.user else []), QUIT]


def server(settings: Settings) -> SmtpServer:
    """The mail server of the setting `smtp_url`, which must not be empty."""
    parts, own = urlsplit(settings.smtp_url), urlsplit(settings.base_url).hostname or ""
    is_address = own.replace(".", "").isdigit() or ":" in own
    own_name = f"[{'IPv6:' if ':' in own else ''}{own}]" if is_address else own
    return SmtpServer(
        parts.scheme,
        parts.hostname or "",
        parts.port or PORTS[parts.scheme],
        unquote(parts.username or ""),
        settings.smtp_password_file,
        own_name,
    )


def answer(code: int, text: bytes) -> str:
    """The mail server's answer in one line, without addresses, to be stored and shown."""
    line = " ".join(f"{code} {text.decode(errors='replace')}".split())[:SHOWN_LENGTH]
    return redaction.without_addresses(line, lambda _: "(an address)")
