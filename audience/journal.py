"""What happened, told once: a line of the log, and a count of /metrics.

Told are ids, templates, counts and times; never an address, a name, a secret or a part of what was sent.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audience.ports import Meter

log = logging.getLogger(__name__)


class Unmetered:
    """`audience.ports.Meter` that counts nothing: for commands and tests."""

    def request(self, method: str, route: str, status: int, seconds: float) -> None: ...

    def batch(self, status: str, rows: Mapping[str, int]) -> None: ...

    def answer(self, question: str, reasons: Sequence[str]) -> None: ...

    def dns(self, seconds: float) -> None: ...

    def page(self, gauges: Mapping[str, float]) -> bytes:
        return "".join(f"audience_{name} {value}\n" for name, value in gauges.items()).encode()


_meter: Meter = Unmetered()


def open(meter: Meter) -> None:
    """Counts with `meter` from now on."""
    global _meter
    _meter = meter


@dataclass(frozen=True, kw_only=True)
class Request:
    """`route` is the template, such as `/api/v1/fetch/tags/<tag_id>`, None where there is none."""

    request_id: str
    method: str
    route: str | None
    status: int
    ms: float
    site_id: int | None
    key_id: int | None


@dataclass(frozen=True, kw_only=True)
class Batch:
    """An import that has ended; `ms` since it was accepted."""

    import_id: int
    site_id: int
    status: str
    created: int
    updated: int
    unchanged: int
    suppressed: int
    refused: int
    ms: int


def request(told: Request) -> None:
    log.info("request", extra={"fields": vars(told)})
    _meter.request(told.method, told.route or "", told.status, told.ms / 1000)


def batch(told: Batch) -> None:
    fields = vars(told)
    log.info("import", extra={"fields": fields})
    outcomes = ("created", "updated", "unchanged", "suppressed", "refused")
    _meter.batch(told.status, {outcome: fields[outcome] for outcome in outcomes})


def answer(question: str, reasons: Sequence[str]) -> None:
    """One sign-up question answered, and the codes that it was answered with."""
    _meter.answer(question, reasons)


def dns(seconds: float) -> None:
    """One round of DNS questions."""
    _meter.dns(seconds)


def page(gauges: Mapping[str, float]) -> bytes:
    """All counts, and `gauges` as they are now, in Prometheus' text format."""
    return _meter.page(gauges)
