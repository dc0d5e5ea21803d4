"""Looking up the names of hosts as the system does, but within a time."""

import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future

MAX_LOOK_UPS = 32  # at once: the system's look-up cannot be ended, only left alone

LookUp = Callable[[str, float], list[str]]
_places = threading.BoundedSemaphore(MAX_LOOK_UPS)


class NameUnknown(Exception):
    """The name of a host has no address, or no DNS server answered in time."""


def look_up(host: str, seconds: float) -> list[str]:
    """The addresses of a host by this machine's DNS and /etc/hosts, the best first. An IP address is its own.

    Raises `NameUnknown` after `seconds`, or at once if too many look-ups are under way.
    """
    if not _places.acquire(blocking=False):
        raise NameUnknown
    future: Future[list[str]] = Future()
    threading.Thread(target=_ask, args=(host, future), name="look-up", daemon=True).start()
    try:
        return future.result(seconds)
    except (OSError, UnicodeError):  # `TimeoutError` among them
        raise NameUnknown from None


def _ask(host: str, future: Future[list[str]]) -> None:
    try:
        answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        future.set_result(list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in answers)))
    except Exception as error:
        future.set_exception(error)
    finally:
        _places.release()
