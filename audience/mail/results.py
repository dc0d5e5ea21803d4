"""What came of an email, and the mail server that the settings name. Free of `smtplib`: see `session.py`."""

from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from audience import redaction
from audience.config import Settings

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
    """`said` is what the mail server answered, without addresses, or a sentence."""

    status: str
    said: str


class SmtpServer(NamedTuple):
    """The mail server; `user` is empty if nobody signs in, `own_name` is how this machine greets it."""

    scheme: str
    host: str
    port: int
    user: str
    password_file: str
    own_name: str

    @property
    def steps(self) -> list[str]:
        """What is done before and after something is sent, in order."""
        encrypt = [STARTTLS] if self.scheme == UPGRADED else []
        return [CONNECT, *encrypt, *([AUTH] if self.user else []), QUIT]


def server(settings: Settings) -> SmtpServer:
    """The server of `smtp_url`, which is set."""
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
    """An answer of the mail server as it is kept and shown: in one line, without addresses."""
    line = " ".join(f"{code} {text.decode(errors='replace')}".split())[:SHOWN_LENGTH]
    return redaction.without_addresses(line, lambda _: "(an address)")
