"""Threads that send to webhooks, beside the one that takes jobs: a receiver that hangs stops no import."""

import threading
from collections.abc import Callable
from typing import NamedTuple

from workers.sweeper import do

INTERVAL_SECONDS = 2.0
MOST_SENDERS = 8


class Sending(NamedTuple):
    """`due` gives the number of webhooks with something to send, `send` sends one message, if any is due."""

    due: Callable[[], int]
    send: Callable[[], bool]


class Senders(threading.Thread):
    """Starts a sender for each webhook that is due, when woken and every `INTERVAL_SECONDS`, until `stop` is
    set. A sender ends once nothing is due. There are at most `MOST_SENDERS` of a process."""

    def __init__(self, sending: Sending, stop: threading.Event, wake: threading.Event) -> None:
        super().__init__(name="senders", daemon=True)
        self._sending, self._stop_event, self._wake = sending, stop, wake
        self._senders: list[threading.Thread] = []

    def run(self) -> None:
        while not self._stop_event.is_set():
            do(self.start_due)
            self._wake.wait(INTERVAL_SECONDS)
            self._wake.clear()

    def start_due(self) -> None:
        self._senders = [sender for sender in self._senders if sender.is_alive()]
        due, room = self._sending.due(), MOST_SENDERS - len(self._senders)
        for _ in range(min(due, room)):
            sender = threading.Thread(target=do, args=(self._send_all,), name="sender", daemon=True)
            self._senders.append(sender)
            sender.start()

    def _send_all(self) -> None:
        while not self._stop_event.is_set() and self._sending.send():
            pass
