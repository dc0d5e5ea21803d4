"""A mail server on the loopback, aiosmtpd, which does what a test tells it."""

# ruff: noqa: N802 (aiosmtpd calls its handlers so)

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTPUTF8
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

OK = "250 OK"
DROPS = "drops"  # in place of an answer: breaks off
HANGS = "hangs"  # answers when the test ends
SLOW, SLOW_SECONDS = "slow", 2.0  # answers OK, so much later


@dataclass
class Taken:
    """A message that the server took."""

    sender: str
    recipients: list[str]
    options: list[str]
    content: bytes
    signed_in: bool

    @property
    def message(self) -> EmailMessage:
        message = message_from_bytes(self.content, policy=SMTPUTF8)
        assert isinstance(message, EmailMessage)
        return message

    @property
    def text(self) -> str:
        return str(self.message.get_content()).replace("\r\n", "\n")


@dataclass
class MailServer:
    """Answers each command by the field of its name: an answer, `DROPS`, `HANGS` or `SLOW`. `taken` has the
    messages that it took.
    """

    mail: str = OK
    rcpt: str = OK
    data: str = "250 2.0.0 OK: queued as 4711"
    port: int = 0
    taken: list[Taken] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"smtp+plain://127.0.0.1:{self.port}"

    def of_recipient(self, _address: str) -> str:
        """The answer to RCPT for a recipient, for subclasses to override."""
        return self.rcpt

    async def handle_MAIL(
        self, server: SMTP, _: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return await self._answer(server, "MAIL", self.mail)

    async def handle_RCPT(
        self, server: SMTP, _: Session, envelope: Envelope, address: str, __: list[str]
    ) -> str:
        answer = await self._answer(server, "RCPT", self.of_recipient(address))
        if answer.startswith("2"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_RSET(self, server: SMTP, _: Session, __: Envelope) -> str:
        return await self._answer(server, "RSET", OK)

    async def handle_QUIT(self, server: SMTP, _: Session, __: Envelope) -> str:
        return await self._answer(server, "QUIT", "221 Bye")

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content
        assert isinstance(content, bytes)
        sender, recipients = envelope.mail_from or "", envelope.rcpt_tos
        signed_in = bool(session.authenticated)
        taken = Taken(sender, [*recipients], [*envelope.mail_options], content, signed_in)
        if self.data.startswith("2") or self.data in (DROPS, SLOW):
            self.taken.append(taken)
        return await self._answer(server, "DATA", self.data)

    async def _answer(self, server: SMTP, command: str, answer: str) -> str:
        self.commands.append(command)
        if answer == HANGS:
            await asyncio.sleep(60)
        if answer == SLOW:
            await asyncio.sleep(SLOW_SECONDS)
            answer = OK
        if answer == DROPS and isinstance(server.transport, asyncio.Transport):
            server.transport.abort()
        return answer


@contextmanager
def serving(
    server: MailServer,
    *,
    certificate: ssl.SSLContext | None = None,
    encrypts: ssl.SSLContext | None = None,
    password: str = "",
    **options: Any,
) -> Iterator[MailServer]:
    """Runs the server. With a `certificate`, it offers STARTTLS; with `encrypts`, it encrypts from the first
    byte; with a `password`, it offers signing in.
    """

    def authenticate(_: SMTP, __: Session, ___: Envelope, ____: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        return AuthResult(success=data.password == password.encode(), handled=False)

    if password:
        options["authenticator"] = authenticate
    loop = asyncio.new_event_loop()

    def connected() -> SMTP:
        return SMTP(server, hostname="relay.example", tls_context=certificate, loop=loop, **options)

    listening = loop.run_until_complete(loop.create_server(connected, "127.0.0.1", 0, ssl=encrypts))
    server.port = listening.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(_end(listening))
        loop.close()


async def _end(listening: asyncio.Server) -> None:
    listening.close()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
    await asyncio.sleep(0)
