"""Records requests, imports and answers: a line in the log, and counts for /metrics.

Records hold ids, route templates, counts and times, never an address, a name, a secret or part of a request.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from audience.protocols import Metrics

log = logging.getLogger(__name__)


class MetricKind(StrEnum):
    COUNTER = "counter"
    HISTOGRAM = "histogram"


@dataclass(frozen=True)
class MetricSpec:
    """A metric in `METRICS`. /metrics adds the prefix `audience_` and, for a counter, the suffix `_total`."""

    name: str
    kind: MetricKind
    meaning: str
    labels: tuple[str, ...] = ()


METRICS = (
    MetricSpec("requests", MetricKind.COUNTER, "Requests answered.", ("method", "route", "status")),
    MetricSpec("request_seconds", MetricKind.HISTOGRAM, "Time to answer a request.", ("method", "route")),
    MetricSpec("imports", MetricKind.COUNTER, "Imports finished or failed.", ("status",)),
    MetricSpec("import_rows", MetricKind.COUNTER, "Rows of finished or failed imports.", ("outcome",)),
    MetricSpec("answers", MetricKind.COUNTER, "Questions answered.", ("question",)),
    MetricSpec("answer_reasons", MetricKind.COUNTER, "Reason codes in answers.", ("question", "reason")),
    MetricSpec("dns_seconds", MetricKind.HISTOGRAM, "Time for a set of DNS queries sent together."),
    MetricSpec("dns_health", MetricKind.COUNTER, "Examinations of the DNS servers.", ("outcome",)),
    MetricSpec(
        "blacklist_tests",
        MetricKind.COUNTER,
        "Tests of blacklist zones by their test points.",
        ("provider", "asks", "outcome"),
    ),
    MetricSpec("webhook_deliveries", MetricKind.COUNTER, "Deliveries tried.", ("outcome",)),
    MetricSpec("webhook_delivery_seconds", MetricKind.HISTOGRAM, "Time of a delivery that was tried."),
    MetricSpec("sign_ups", MetricKind.COUNTER, "Sign-ups by result.", ("outcome",)),
    MetricSpec("mails", MetricKind.COUNTER, "Emails handed to the mail server.", ("outcome",)),
    MetricSpec("mail_seconds", MetricKind.HISTOGRAM, "Time to hand over an email."),
    MetricSpec("metrics_write_errors", MetricKind.COUNTER, "Times that counts could not be written."),
)
GAUGES = {
    "imports_waiting": "Unfinished imports.",
    "import_rows_waiting": "Rows of unfinished imports that are not written yet.",
    "import_oldest_waiting_seconds": "Age of the oldest import that no worker has started.",
    "change_log_bytes": "Size of the record of changes.",
    "change_log_days": "Age of its oldest row in days.",
    "webhooks_paused": "Webhooks that are paused though no operator paused them.",
    "webhook_changes_waiting": "Most changes that a webhook has yet to deliver.",
    "confirmation_oldest_waiting_seconds": "Age of the oldest sign-up whose confirmation waits to be sent.",
    "backup_age_seconds": "Age of the newest backup, or since 1970 without one, where one is made each day.",
    "worker_age_seconds": "Time since the last heartbeat of an import worker.",
}


class NoMetrics:
    """An `audience.protocols.Metrics` that counts nothing: for commands and tests."""

    def count(self, name: str, amount: float = 1, /, **labels: str | int) -> None: ...

    def observe(self, name: str, value: float, /, **labels: str | int) -> None: ...

    def render(self, gauges: Mapping[str, float]) -> bytes:
        return "".join(f"audience_{name} {value}\n" for name, value in gauges.items()).encode()


_metrics: Metrics = NoMetrics()


def open(metrics: Metrics) -> None:
    """Sends this process's counts to `metrics` from now on."""
    global _metrics
    _metrics = metrics


@dataclass(kw_only=True)  # freezing would take longer than counting it
class RequestRecord:
    """The log record of a request. `route` is the template, such as `/api/v1/fetch/tags/<tag_id>`; None if no
    route matched. `client_request_id` is logged only if the client sent one.
    """

    request_id: str
    method: str
    route: str | None
    status: int
    ms: float
    site_id: int | None
    key_id: int | None
    client_request_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class ImportRecord:
    """The log record of a finished or failed import; `ms` counts from its acceptance."""

    import_id: int
    site_id: int
    status: str
    created: int
    updated: int
    unchanged: int
    suppressed: int
    refused: int
    ms: int


OUTCOMES = ("created", "updated", "unchanged", "suppressed", "refused")


def record_request(record: RequestRecord, *, logged: bool = True) -> None:
    """Counts a request, and logs it unless it is a probe of our own."""
    if logged:
        fields = {name: value for name, value in vars(record).items() if name != "client_request_id" or value}
        log.info("request", extra={"fields": fields})
    method, route = record.method, record.route or ""
    _metrics.count("requests", method=method, route=route, status=record.status)
    _metrics.observe("request_seconds", record.ms / 1000, method=method, route=route)


def record_import(record: ImportRecord) -> None:
    fields = vars(record)
    log.info("import", extra={"fields": fields})
    _metrics.count("imports", status=record.status)
    for outcome in OUTCOMES:
        _metrics.count("import_rows", fields[outcome], outcome=outcome)


def record_answer(question: str, reasons: Sequence[str]) -> None:
    """Counts one answer to `question`, and each of its reason codes."""
    _metrics.count("answers", question=question)
    for reason in reasons:
        _metrics.count("answer_reasons", question=question, reason=reason)


def record_dns(seconds: float) -> None:
    """Records the time for a set of DNS queries sent together."""
    _metrics.observe("dns_seconds", seconds)


def record_dns_health(outcome: str) -> None:
    """Counts one examination of the DNS servers."""
    _metrics.count("dns_health", outcome=outcome)


def record_blacklist_test(provider: str, asks: str, outcome: str) -> None:
    """Counts one test of a provider's zone for domains or addresses."""
    _metrics.count("blacklist_tests", provider=provider, asks=asks, outcome=outcome)


def record_delivery(outcome: str, seconds: float) -> None:
    """Counts one try to deliver to a webhook."""
    _metrics.count("webhook_deliveries", outcome=outcome)
    _metrics.observe("webhook_delivery_seconds", seconds)


def record_sign_up(outcome: str) -> None:
    """Counts one sign-up that had an outcome."""
    _metrics.count("sign_ups", outcome=outcome)


def record_mail(outcome: str, seconds: float) -> None:
    """Counts one email that was handed to the mail server, by its outcome."""
    _metrics.count("mails", outcome=outcome)
    _metrics.observe("mail_seconds", seconds)


def render(gauges: Mapping[str, float]) -> bytes:
    """All counts, and `gauges` (keys of `GAUGES`), in Prometheus' text format."""
    return _metrics.render(gauges)
