"""The relay: the mail server of the settings, which takes all emails of this instance.

`session.py`, which sends, is imported only when something is sent.
"""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from audience import clock, telemetry
from audience.config import Settings
from audience.mail.results import LATER, PAUSED, MailResult, server

if TYPE_CHECKING:
    from email.message import EmailMessage

MOST_CONNECTIONS = 4  # of a process
PAUSE_SECONDS = 60.0
PLACE_SECONDS = 5.0  # that are waited for a connection that is in use

NOT_SET = "AUDIENCE_SMTP_URL is not set."
BUSY = f"All {MOST_CONNECTIONS} connections to the mail server are in use."

_places = threading.BoundedSemaphore(MOST_CONNECTIONS)


class MailStep(NamedTuple):
    """A step of a mail session. `said` is the mail server's answer, or a sentence."""

    name: str
    is_well: bool
    said: str


class Relay:
    """Sends emails; safe for threads. Sends nothing for a while after the mail server refused everything."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._paused_until, self._said = 0.0, ""

    def send(
        self,
        message: "EmailMessage",
        sender: str,
        recipient: str,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> MailResult:
        """Sends a message to one recipient, within a minute. During a pause, returns `PAUSED` at once.

        `is_wanted` is called once the mail server has accepted the recipient. If it returns False, nothing is
        sent.
        """
        if time.monotonic() < self._paused_until:
            return MailResult(PAUSED, self._said)
        if not _places.acquire(timeout=PLACE_SECONDS):
            return MailResult(PAUSED, BUSY)
        began = clock.uptime_ms()
        try:
            result = self._hand_over(message, sender, recipient, is_wanted)
        finally:
            _places.release()
        if result.status == PAUSED:
            self._paused_until, self._said = time.monotonic() + PAUSE_SECONDS, result.said
        telemetry.record_mail(result.status, (clock.uptime_ms() - began) / 1000)
        return result

    def _hand_over(
        self, message: "EmailMessage", sender: str, recipient: str, is_wanted: Callable[[], bool]
    ) -> MailResult:
        from audience.mail import session

        if not self._settings.smtp_url:
            return MailResult(LATER, NOT_SET)
        return session.hand_over(server(self._settings), message, sender, recipient, is_wanted)

    def probe(self) -> list[MailStep]:
        """Connects, encrypts, signs in and leaves, as `smtp_url` says. Returns the steps; the last may have
        failed.

        `smtp_url` must not be empty.
        """
        from audience.mail import session

        steps: list[MailStep] = []
        relay = server(self._settings)
        try:
            with session.start(relay, lambda name, answer: steps.append(MailStep(name, True, answer))):
                pass
        except session.FAILURES as error:
            steps.append(MailStep(relay.steps[len(steps)], False, session.sentence(error)))
        return steps
