"""Threads that send to webhooks: as many as are due, no more than eight, and none that ends the others."""

import threading

from tests.service import PATIENCE_SECONDS, until
from workers.senders import MOST_SENDERS, Senders, Sending


class Hanging:
    """Something to send that hangs until it is released; then nothing is due."""

    def __init__(self, number):
        self.waiting, self.begun = number, 0
        self.released = threading.Event()
        self._lock = threading.Lock()

    def due(self):
        return 0 if self.released.is_set() else self.waiting

    def send(self):
        with self._lock:
            if self.released.is_set() or not self.waiting:
                return False
            self.waiting -= 1
            self.begun += 1
        self.released.wait(60)
        return True


def started(sending):
    stop, wake = threading.Event(), threading.Event()
    senders = Senders(sending, stop, wake)
    senders.start()
    return stop, wake, senders


def ended(stop, wake, senders):
    stop.set()
    wake.set()
    senders.join(PATIENCE_SECONDS)
    return not senders.is_alive()


def test_each_that_is_due_has_a_thread_up_to_eight():
    hanging = Hanging(20)
    parts = started(Sending(hanging.due, hanging.send))
    until(lambda: hanging.begun == MOST_SENDERS)
    parts[1].set()
    until(lambda: not parts[1].is_set())
    assert hanging.begun == MOST_SENDERS
    hanging.released.set()
    assert ended(*parts)


def test_it_is_woken_and_a_fault_ends_nothing():
    sent: list[int] = []
    waiting: list[int] = []

    def send():
        if not waiting:
            return False
        sent.append(waiting.pop())
        raise OSError("the disk")

    parts = started(Sending(lambda: len(waiting), send))
    for number in range(3):
        waiting.append(number)
        parts[1].set()
        until(lambda: not waiting)
    assert ended(*parts)
    assert sent == [0, 1, 2]
