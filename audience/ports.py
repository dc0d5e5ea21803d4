"""What the domain is handed from outside: small protocols, filled in by `app.py`."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Doorbell(Protocol):
    """Tells the workers that a site has imports waiting. Best effort: the inbox row is the truth."""

    def ring(self, site_id: int) -> None: ...


class Limiter(Protocol):
    """Counts acts against a limit such as `100/minute`."""

    def hit(self, limit: str, *key: str) -> int:
        """Counts one act of `key`; 0 while within the limit, else the whole seconds to wait."""
        ...


class Vitals(Protocol):
    """How the parts beside the web server are."""

    def redis_answers(self) -> bool: ...

    def worker_age(self) -> float | None:
        """Seconds since an import worker last showed itself; None when none ever did."""
        ...


class Meter(Protocol):
    """Counts what happens, over all processes of an instance."""

    def request(self, method: str, route: str, status: int, seconds: float) -> None: ...

    def batch(self, status: str, rows: Mapping[str, int]) -> None:
        """An import that has ended, and its rows by outcome."""
        ...

    def answer(self, question: str, reasons: Sequence[str]) -> None:
        """One answer to a sign-up question, and its reason codes."""
        ...

    def dns(self, seconds: float) -> None: ...

    def page(self, gauges: Mapping[str, float]) -> bytes:
        """Everything counted, and `gauges` as given, in Prometheus' text format."""
        ...


class Progress(Protocol):
    """Is told how far long work is: the step's name, and how much of how much is done."""

    def __call__(self, step: str, done: int, total: int) -> None: ...


@dataclass(frozen=True)
class QueueHealth:
    """How Redis is: its version, and how it keeps what it has. `trouble` is empty when it answers."""

    version: str = ""
    keeps: str = ""
    evicts: str = ""
    trouble: str = ""


class Processes(Protocol):
    """What runs on an instance beside this process."""

    def stopped(self) -> AbstractContextManager[None]:
        """Keeps the service from starting; raises an error that says so while it runs."""
        ...

    def serving(self) -> bool: ...

    def worker_age(self) -> float | None:
        """Seconds since an import worker last showed itself; None when none ever did."""
        ...

    def queue(self) -> QueueHealth: ...


class DnsStatus(StrEnum):
    """What asking came to. `UNAVAILABLE` (no answer in time, nobody to ask, REFUSED) tells nothing."""

    OK = "ok"
    NO_DATA = "no_data"
    NXDOMAIN = "nxdomain"
    SERVFAIL = "servfail"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True)
class DnsAnswer:
    """`records` in presentation form without trailing dots: addresses for A and AAAA, text for TXT,
    `"PREFERENCE EXCHANGE"` for MX (the null MX of RFC 7505 is `"0 ."`)."""

    status: DnsStatus
    records: tuple[str, ...] = ()


class Resolver(Protocol):
    """Asks the DNS. Names are absolute; never raises for what the network does."""

    def ask(self, questions: Sequence[tuple[str, str]], timeout: float | None = None) -> list[DnsAnswer]:
        """Answers to `(name, record type)` pairs, asked all at once, in order, within `timeout` seconds in
        total (default: the resolver's own)."""
        ...
