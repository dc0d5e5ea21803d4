"""Sends one POST to a receiver, under one deadline, to no other address than those that were checked.

It uses `http.client` of the standard library on a connection of its own. urllib3 and requests would be
further packages. They look names up themselves, follow the environment's proxies, and limit the time of each
read but not of all.
"""

import http.client
import io
import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cache
from importlib.metadata import version
from socket import create_connection, socket
from typing import TYPE_CHECKING

from audience import clock
from audience.deliveries.addresses import AddressRefused, Receiver, read, require_allowed
from audience.deliveries.names import LookUp, NameUnknown, look_up

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

SECONDS = 10.0
BODY_SECONDS = 1.0  # for the body of an answer, of which the status says all
MAX_ANSWER_BYTES = 64 * 1024  # that are read, the head among them
KEPT_BYTES = 1024
HEADERS = {"Content-Type": "application/json", "Connection": "close"}
INTERIM = range(102, 200)  # statuses before the final one (RFC 9110 section 15.2)
BUSY = (429, 503)  # of these statuses `Retry-After` is heeded
MAX_RETRY_AFTER = 3_600  # seconds

NO_NAME = "The host of the URL was not found: check its spelling, and that this machine's DNS works."
NO_CONNECTION = (
    "The receiver cannot be reached, or broke off the connection: check that it is running, and "
    "check the firewalls in between."
)
NO_ANSWER = "The receiver did not answer in time: let it answer 2xx at once, and do its work afterwards."
NOT_TRUSTED = (
    "The receiver's certificate is not valid for the name: renew the certificate with its whole chain."
)
NO_TLS = "The receiver does not speak TLS 1.2 or newer: check its port and its certificate."
NOT_HTTP = "The receiver's answer is not HTTP: check the host and port of the URL."
FAILURES: tuple[tuple[type[Exception], str], ...] = (  # the first that is of its kind
    (NameUnknown, NO_NAME),
    (TimeoutError, NO_ANSWER),
    (ssl.SSLCertVerificationError, NOT_TRUSTED),
    (ssl.SSLError, NO_TLS),
    (OSError, NO_CONNECTION),
    (http.client.HTTPException, NOT_HTTP),
    (ValueError, NOT_HTTP),
)


@dataclass(frozen=True)
class DeliveryResult:
    """The result of a delivery. `status` is None without an answer; `beginning` is the answer's first 1,024
    bytes as text.

    `failure` is a sentence for the operator that says why there is no answer; None if there is one.
    `retry_after` is how many seconds a busy receiver asks to wait, at most an hour.
    """

    status: int | None
    milliseconds: int
    beginning: str
    failure: str | None
    retry_after: int = 0


class Deadline:
    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def end_within(self, seconds: float) -> None:
        """Moves the deadline so that at most `seconds` are left."""
        self._at = min(self._at, time.monotonic() + seconds)

    def left(self) -> float:
        """The seconds that are left. Raises `TimeoutError` if none are."""
        seconds = self._at - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds


class Incoming(io.RawIOBase):
    """The receiver's answer as a stream, up to `MAX_ANSWER_BYTES`. Raises `TimeoutError` at the deadline."""

    def __init__(self, connection: socket, deadline: Deadline) -> None:
        self._connection, self._deadline = connection, deadline
        self._room = MAX_ANSWER_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        self._connection.settimeout(self._deadline.left())
        count = self._connection.recv_into(memoryview(buffer)[: self._room])
        self._room -= count
        return count


class TimedConnection:
    """The socket methods that `http.client` uses, within the deadline. The opener closes the socket."""

    def __init__(self, connection: socket, deadline: Deadline) -> None:
        self._connection, self._deadline = connection, deadline

    def sendall(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            self._connection.settimeout(self._deadline.left())
            rest = rest[self._connection.send(rest) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(Incoming(self._connection, self._deadline))

    def close(self) -> None:
        """Does nothing, because `http.client` closes before it reads the answer."""


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    private_addresses: bool,
    is_secret: bool = False,
    seconds: float = SECONDS,
    look_up: LookUp = look_up,
) -> DeliveryResult:
    """Posts a JSON body, with `headers` beside the usual ones. Ends within `seconds`, whatever the receiver
    does.

    With `is_secret`, the body goes to public addresses only encrypted. The host is looked up once. Redirects
    are not followed, and proxies not used. A network error becomes the `failure` of the result.
    """
    deadline, began = Deadline(seconds), clock.uptime_ms()
    status, beginning, failure, retry_after = None, "", None, 0
    try:
        receiver = read(url, private_addresses=private_addresses)
        addresses = look_up(receiver.host, deadline.left())
        require_allowed(receiver, addresses, private_addresses=private_addresses, is_secret=is_secret)
        with closing(_open(receiver, addresses, deadline)) as connection:
            answer = _answer(TimedConnection(connection, deadline), receiver, body, headers)
            status, retry_after = answer.status, _retry_after(answer)
            deadline.end_within(BODY_SECONDS)
            beginning = _beginning(answer)
    except AddressRefused as refused:
        failure = refused.message
    except tuple(kind for kind, _ in FAILURES) as error:
        failure = next(sentence for kind, sentence in FAILURES if isinstance(error, kind))
    return DeliveryResult(status, clock.uptime_ms() - began, beginning, failure, retry_after)


def _open(receiver: Receiver, addresses: Sequence[str], deadline: Deadline) -> socket:
    connection = connect(addresses, receiver.port, deadline)
    return _encrypt(connection, receiver.host, deadline) if receiver.is_encrypted else connection


def connect(addresses: Sequence[str], port: int, deadline: Deadline) -> socket:
    """Connects to the first address that accepts; each try gets its share of the time.

    Raises the error of the last try, or `NameUnknown` without addresses.
    """
    for tried, address in enumerate(addresses):
        try:
            seconds = deadline.left() / (len(addresses) - tried)
            return create_connection((address, port), seconds)
        except OSError:
            if tried == len(addresses) - 1:
                raise
    raise NameUnknown


def _encrypt(connection: socket, host: str, deadline: Deadline) -> socket:
    """Starts TLS with `host`. Returns the encrypted connection. If that fails, closes it and raises."""
    try:
        connection.settimeout(deadline.left())
        return _trust().wrap_socket(connection, server_hostname=host)
    except BaseException:
        connection.close()
        raise


@cache
def _trust() -> ssl.SSLContext:
    """The TLS context with this machine's trusted certificates. Reading them takes 20 ms."""
    return ssl.create_default_context()


def _answer(
    connection: TimedConnection, receiver: Receiver, body: bytes, headers: Mapping[str, str]
) -> http.client.HTTPResponse:
    """Sends the request and reads the head of the answer. Returns the answer.

    An answer that comes before the body was sent counts. Interim answers (1xx) are skipped.
    """
    client = http.client.HTTPConnection(receiver.host, receiver.port)
    client.sock = connection
    with suppress(BrokenPipeError, ConnectionResetError):  # it may have answered before it read the body
        fixed = {"Host": receiver.authority, "User-Agent": _user_agent(), **HEADERS}
        client.request("POST", receiver.target, body, {**fixed, **headers})
    answer = client.getresponse()
    while answer.status in INTERIM:
        vars(answer)["headers"] = None  # so that it reads the next head; `begin` skips 100 alone
        answer.begin()
    return answer


@cache
def _user_agent() -> str:
    return f"Audience/{version('audience')}"


def _retry_after(answer: http.client.HTTPResponse) -> int:
    """How many seconds a busy receiver asks to wait (RFC 9110, 10.2.3); 0 if it does not."""
    text = (answer.getheader("Retry-After") or "").strip()
    if answer.status not in BUSY:
        return 0
    if text.isascii() and text.isdigit():
        return min(int(text.lstrip("0")[:6] or 0), MAX_RETRY_AFTER)
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return 0
    seconds = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - clock.now_ms() / 1000
    return int(max(0, min(seconds, MAX_RETRY_AFTER)))


def _beginning(answer: http.client.HTTPResponse) -> str:
    """The beginning of the answer as text, as far as it came. Bytes that are no text are replaced."""
    content = bytearray()
    with suppress(http.client.HTTPException, OSError, ValueError):
        while len(content) < KEPT_BYTES and (part := answer.read1(KEPT_BYTES)):
            content += part
    text = content[:KEPT_BYTES].decode(errors="replace")
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)
