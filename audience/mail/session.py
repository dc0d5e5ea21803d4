"""One connection to the mail server, by `smtplib`, under a deadline of its own.

It is imported only where an email is sent, because `smtplib` takes a megabyte of memory.
"""

import re
import smtplib
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from ipaddress import ip_address
from pathlib import Path
from threading import Timer

from audience.deliveries.addresses import is_public
from audience.deliveries.client import Deadline, connect
from audience.deliveries.names import NameUnknown, look_up
from audience.mail.results import (
    AUTH,
    CONNECT,
    ENCODED,
    ENCRYPTED,
    LATER,
    PAUSED,
    PLAIN,
    QUIT,
    REFUSED,
    SENT,
    STARTTLS,
    STOPPED,
    UNSURE,
    UPGRADED,
    MailResult,
    SmtpServer,
    answer,
)

CONNECT_SECONDS, COMMAND_SECONDS, SECONDS = 10.0, 30.0, 60.0
LEAVING_SECONDS = 1.0  # for the answer to QUIT
OK, FORWARDED, CLOSING = 250, 251, 421
METHODS = {"PLAIN", "LOGIN", "CRAM-MD5"}  # of signing in, which `smtplib` has

# Of policy, a full mailbox, a size: of this sender, this day, or this message, and not of the recipient.
PASSING = re.compile(r"5\.(7\.\d{1,3}|2\.2|3\.4)\b")
NO_SMTPUTF8 = "The mail server accepts only addresses in ASCII (it lacks SMTPUTF8)."
NO_HEADER = (
    "No email is sent to an address that contains =?, because mail programs read it as a different address."
)
NO_STARTTLS = (
    "The mail server offers no STARTTLS: use smtps://, the port on which it does or, on your own machine or "
    "network, smtp+plain://."
)
NO_AUTH = f"The mail server offers no way to sign in that Audience knows ({', '.join(sorted(METHODS))})."
NO_FILE = "AUDIENCE_SMTP_PASSWORD_FILE names no file that can be read: correct its name or its rights."
NOT_ASCII = "Choose a user and a password in ASCII: the mail server accepts no others."
NO_NAME = "The mail server's name was not found: check AUDIENCE_SMTP_URL, and that this machine's DNS works."
NO_ANSWER = "The mail server did not answer in time."
BROKE_OFF = "The mail server broke off the connection."
NO_CONNECTION = "The mail server cannot be reached: check host and port in AUDIENCE_SMTP_URL, and firewalls."
NOT_TRUSTED = (
    "The mail server's certificate is not valid for the name: use the name in the certificate, or "
    "renew the certificate."
)
NO_TLS = "The mail server does not speak TLS 1.2 or newer here: smtps:// begins with TLS, smtp:// without."
NOT_PRIVATE = "smtp+plain:// is for loopback and private addresses: use smtps:// or smtp://."
NOT_SMTP = "The mail server's answer is not SMTP: check host and port in AUDIENCE_SMTP_URL."
SENTENCES: tuple[tuple[type[Exception], str], ...] = (  # the first that is of its kind
    (NameUnknown, NO_NAME),
    (smtplib.SMTPServerDisconnected, BROKE_OFF),
    (smtplib.SMTPException, NOT_SMTP),
    (TimeoutError, NO_ANSWER),
    (ssl.SSLCertVerificationError, NOT_TRUSTED),
    (ssl.SSLError, NO_TLS),
    (OSError, NO_CONNECTION),
    (ValueError, NOT_SMTP),
)


class Unfit(Exception):
    """The mail server lacks something that is required, or a setting is not allowed. The message
    says which.
    """


FAILURES: tuple[type[Exception], ...] = (Unfit, *(kind for kind, _ in SENTENCES))
Note = Callable[[str, str], object]


class MailSession(smtplib.SMTP):
    """A session with the mail server. It is cut off at the deadline, however slow the server is."""

    _timer: Timer | None = None

    def __init__(self, server: SmtpServer, deadline: Deadline) -> None:
        self._server, self._deadline = server, deadline
        try:
            super().__init__(server.host, server.port, server.own_name, COMMAND_SECONDS)
        except BaseException:
            self.leave()
            raise

    def _get_socket(self, host: str, _port: int, timeout: float) -> socket.socket:
        """Connects, and starts the timer that cuts the connection off. `smtplib` calls this."""
        connecting = Deadline(CONNECT_SECONDS)
        connection = connect(self._addresses(connecting), self._server.port, connecting)
        self._twin = connection.dup()  # to shut it down from outside, encrypted or not
        self._timer = Timer(self._deadline.left(), _shut_down, [self._twin])
        self._timer.daemon = True
        self._timer.start()
        connection.settimeout(timeout)
        if self._server.scheme == ENCRYPTED:
            return ssl.create_default_context().wrap_socket(connection, server_hostname=host)
        return connection

    def _addresses(self, deadline: Deadline) -> list[str]:
        addresses = look_up(self._server.host, deadline.left())
        if self._server.scheme == PLAIN and any(is_public(ip_address(address)) for address in addresses):
            raise Unfit(NOT_PRIVATE)
        return addresses

    def prepare(self, note: Note) -> None:
        """Encrypts the connection and signs in. Calls `note` after each step. Raises one of `FAILURES`."""
        self.greet()
        if self._server.scheme == UPGRADED:
            if not self.has_extn("starttls"):
                raise Unfit(NO_STARTTLS)
            note(STARTTLS, answer(*self.starttls(context=ssl.create_default_context())))
            self.greet()
        if self._server.user:
            if METHODS.isdisjoint(self.esmtp_features.get("auth", "").upper().split()):
                raise Unfit(NO_AUTH)
            password = _password(self._server.password_file)
            if not f"{self._server.user}{password}".isascii():
                raise Unfit(NOT_ASCII)
            note(AUTH, answer(*self.login(self._server.user, password)))

    def greet(self) -> None:
        code, text = self.ehlo()
        if code != OK:
            raise smtplib.SMTPHeloError(code, text)

    def deliver(
        self, message: EmailMessage, sender: str, recipient: str, is_wanted: Callable[[], bool]
    ) -> MailResult:
        """Sends a message. Returns the result: `STOPPED`, with nothing sent, if not `is_wanted`."""
        is_ascii = recipient.isascii()
        if not is_ascii and not self.has_extn("smtputf8"):
            return MailResult(REFUSED, NO_SMTPUTF8)
        if ENCODED in recipient:
            return MailResult(REFUSED, NO_HEADER)
        code, text = self.mail(sender, () if is_ascii else ("SMTPUTF8",))
        if code != OK:
            return MailResult(PAUSED if 400 <= code < 500 else LATER, answer(code, text))
        code, text = self.rcpt(_quote(recipient))
        if code not in (OK, FORWARDED):
            return _refusal(code, text)
        if not is_wanted():
            self.rset()
            return MailResult(STOPPED, "")
        code, text = self.data(message.as_bytes(policy=SMTP if is_ascii else SMTPUTF8))
        return MailResult(SENT, answer(code, text)) if code == OK else _refusal(code, text)

    def leave(self) -> str:
        """Ends the session, whatever its state. Returns the mail server's answer, "" without one."""
        farewell = ""
        with suppress(smtplib.SMTPException, OSError, ValueError):
            if self.sock:
                self.sock.settimeout(LEAVING_SECONDS)
                farewell = answer(*self.quit())
        self.close()
        if self._timer:
            self._timer.cancel()
            self._twin.close()
        return farewell


def hand_over(
    server: SmtpServer,
    message: EmailMessage,
    sender: str,
    recipient: str,
    is_wanted: Callable[[], bool],
) -> MailResult:
    """Sends a message to one recipient, within `SECONDS`. Returns a result for network errors, too."""
    failed = LATER

    def is_still_wanted() -> bool:
        nonlocal failed
        is_so = is_wanted()
        failed = UNSURE
        return is_so

    try:
        with start(server, lambda *_: None) as session:
            return session.deliver(message, sender, recipient, is_still_wanted)
    except smtplib.SMTPDataError as error:
        return _refusal(error.smtp_code, _bytes(error.smtp_error))
    except smtplib.SMTPResponseException as error:
        return MailResult(PAUSED if error.smtp_code == CLOSING else LATER, sentence(error))
    except FAILURES as error:
        return MailResult(failed, sentence(error))


@contextmanager
def start(server: SmtpServer, note: Note) -> Iterator[MailSession]:
    """Yields a session that is ready to send. Calls `note` with each step and its answer."""
    deadline = Deadline(SECONDS)
    session = MailSession(server, deadline)
    try:
        note(CONNECT, f"{server.host}:{server.port}")
        session.prepare(note)
        yield session
    except smtplib.SMTPServerDisconnected:
        deadline.left()  # which raises the error if it was us
        raise
    finally:
        farewell = session.leave()
    note(QUIT, farewell)


def sentence(error: Exception) -> str:
    """An error as a sentence: the mail server's answer, or what to do."""
    if isinstance(error, smtplib.SMTPResponseException):
        return answer(error.smtp_code, _bytes(error.smtp_error))
    if isinstance(error, Unfit):
        return str(error)
    if isinstance(error.__context__, TimeoutError):  # `smtplib` says that it was broken off
        return NO_ANSWER
    return next(sentence for kind, sentence in SENTENCES if isinstance(error, kind))


def _refusal(code: int, text: bytes) -> MailResult:
    """The result of a refusal: `PAUSED`, `REFUSED` (for good) or `LATER`.

    An enhanced status code (RFC 3463) in `text` may turn a final `code` into `LATER`.
    """
    is_final = code >= 500 and not PASSING.match(text.decode(errors="replace").lstrip())
    status = PAUSED if code == CLOSING else REFUSED if is_final else LATER
    return MailResult(status, answer(code, text))


def _password(file: str) -> str:
    try:
        return Path(file).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise Unfit(NO_FILE) from None


def _quote(recipient: str) -> str:
    local, _, domain = recipient.rpartition("@")
    return f"<{Address(username=local, domain=domain).addr_spec}>"


def _bytes(text: bytes | str) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _shut_down(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
