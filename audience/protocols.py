"""Protocols that the domain depends on; `app.py` passes the implementations in."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

REFUSAL = "audience.refusal"  # the error for which a request has no body, in its WSGI environ


class Admit(Protocol):
    """Decides from a request's head, its WSGI environ, whether its body may be sent."""

    def __call__(self, environ: dict[str, Any]) -> int | None:
        """The number of bytes that the body may have; None if it is refused or not taken.

        The results of the checks go into `environ`, for the application.
        """
        ...


class Gate(Protocol):
    """Limits the threads that wait for one thing, so that other threads stay free."""

    def enter(self) -> bool:
        """Counts the thread in if there is room. Returns whether it may wait; if so, it must call `leave`."""
        ...

    def leave(self) -> None: ...


class ImportQueue(Protocol):
    """Notifies the workers that a site has waiting imports. Best effort: the database is authoritative."""

    def notify(self, site_id: int) -> None: ...


class RateWindow(NamedTuple):
    """The window of a rate limit: its requests, how many are left, and the seconds until it ends."""

    limit: int
    remaining: int
    reset: int


class Limiter(Protocol):
    """Counts hits against a limit such as `100/minute`."""

    def hit(self, limit: str, *key: str) -> int:
        """Counts one hit of `key`. Returns 0 within the limit, otherwise the whole seconds to wait."""
        ...

    def is_spent(self, limit: str, *key: str) -> bool:
        """Whether one more hit of `key` would be over the limit. Counts nothing."""
        ...

    def window(self, limit: str, *key: str) -> RateWindow:
        """The window in which the next hit of `key` would be counted."""
        ...


class Metrics(Protocol):
    """Counts over all processes of an instance. `audience.telemetry` lists names and labels."""

    def count(self, name: str, amount: float = 1, /, **labels: str | int) -> None:
        """Adds `amount` to a counter."""
        ...

    def observe(self, name: str, value: float, /, **labels: str | int) -> None:
        """Adds one observation to a histogram."""
        ...

    def render(self, gauges: Mapping[str, float]) -> bytes:
        """All counts, and `gauges` by name, in Prometheus' text format."""
        ...


class Progress(Protocol):
    """Reports the progress of long work: the step's name, and how many of `total` are done."""

    def __call__(self, step: str, done: int, total: int) -> None: ...


@dataclass(frozen=True)
class QueueHealth:
    """The state of Redis. `error` is empty if it answers; else the other fields are."""

    version: str = ""
    persistence: str = ""
    eviction_policy: str = ""
    error: str = ""


class Processes(Protocol):
    """The other processes of an instance: service, import workers, Redis."""

    def stopped(self) -> AbstractContextManager[None]:
        """Keeps the service from starting in the block. Raises an error if it is running."""
        ...

    def serving(self) -> bool:
        """Whether the service runs: a process holds the instance's lock."""
        ...

    def worker_age(self) -> float | None:
        """Seconds since the last heartbeat of an import worker; None if there was none."""
        ...

    def queue(self) -> QueueHealth: ...


class ChildProcess(Protocol):
    """Runs a function that could exhaust a process in a child process, with limits of memory and CPU."""

    def __call__(
        self, function: Callable[..., Any], source: BinaryIO, target: BinaryIO, *arguments: Any
    ) -> Any:
        """The value of `function(source, target, *arguments)`; it and the arguments are JSON.

        The child imports the function's module; the files are open files of the system. Raises `MemoryError`
        or `TimeoutError` at a limit, and `ChildProcessError` if the child fails otherwise.
        """
        ...


class BackupPrograms(Protocol):
    """What runs after a backup, each in a process of its own. A call returns why that failed, or ""."""

    def run_command(self, command: str, file: Path) -> str: ...
    def restore_in_trial(self, file: Path) -> str: ...


class DnsStatus(StrEnum):
    """The outcome of a DNS query. `UNAVAILABLE` (no answer in time, no resolver, REFUSED) proves nothing."""

    OK = "ok"
    NO_DATA = "no_data"
    NXDOMAIN = "nxdomain"
    SERVFAIL = "servfail"
    UNAVAILABLE = "unavailable"


class DnsHealth(StrEnum):
    """Whether the DNS servers can be trusted.

    `DENYING`: they name no mail exchanger of any well-known domain. `CUT_OFF`: they do not answer questions
    that no cache can hold, or answer them falsely.
    """

    WORKS = "works"
    DENYING = "denying"
    CUT_OFF = "cut_off"


@dataclass(frozen=True)
class DnsAnswer:
    """The answer to a DNS query. `records` are in presentation form without trailing dots: addresses for A
    and AAAA, text for TXT, `"PREFERENCE EXCHANGE"` for MX (the null MX of RFC 7505 is `"0 ."`).
    """

    status: DnsStatus
    records: tuple[str, ...] = ()


class Resolver(Protocol):
    """Queries the DNS. Names are absolute; network failures never raise."""

    def ask(self, questions: Sequence[tuple[str, str]], timeout: float | None = None) -> list[DnsAnswer]:
        """The answers to (name, record type) pairs, in order, all asked at once.

        `timeout` is in seconds for all together; by default the resolver's own.
        """
        ...

    def health(self, denied: str = "", well_known: bool = False) -> DnsHealth:
        """Whether an answer that counts against a name can be believed, cached for 30 seconds.

        Once in 30 seconds it is found out anew if trouble is likelier: the name `denied` is a canary, or a
        `well_known` mail domain.
        """
        ...


class FileRow(Protocol):
    """One row of an imported file: the item to import or, if that is None, a code and a message."""

    row_number: int
    email: str
    item: dict[str, Any] | None
    code: str
    message: str
    cells: list[str]


class ReadableFile(Protocol):
    """A file of subscribers that was opened and described, whose rows can be read."""

    @property
    def refused_header(self) -> list[str]:
        """The header of a file of its refused rows. Complete only once the rows are read."""
        ...

    @property
    def consent(self) -> str:
        """The answer about who may be written to, in words."""
        ...

    @property
    def answers(self) -> str:
        """All answers about the file, as a line for the next file of its kind."""
        ...

    @property
    def digest(self) -> str:
        """The digest of the file's content."""
        ...

    def rows(self, check: Callable[[str], Any]) -> Generator[FileRow, None, None]:
        """The rows of the file. Raises `FormError` when the rest of the file cannot be read."""
        ...


# Yields all text of a file, in pieces. Takes the answers about how it reads, the file, and a second file
# into which a workbook is unpacked. Raises `FormError`.
TextOpener = Callable[[Mapping[str, Any], BinaryIO, BinaryIO], Generator[str, None, None]]

# Opens and describes a file. Takes its name, the site's time zone, the answers about how it reads, the file,
# and a second file into which a workbook is unpacked. Calls the last argument again and again, with the rows
# read so far and the description as JSON. Raises `FormError`.
FileOpener = Callable[
    [str, str, Mapping[str, Any], BinaryIO, BinaryIO, Callable[[int, dict[str, Any]], object]], ReadableFile
]
