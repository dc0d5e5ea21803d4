"""Counts over all processes of an instance: prometheus_client keeps each one's in files of a common folder.

What a process has counted stays when it dies; `serve` starts again from zero.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prometheus_client import Metric

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
GAUGES = {
    "imports_waiting": "Imports that are not finished.",
    "import_rows_waiting": "Rows of these that are not written.",
    "import_oldest_waiting_seconds": "Age of the oldest import that nobody has begun.",
    "worker_age_seconds": "Time since an import worker last showed itself.",
}


class Meter:
    """`audience.ports.Meter`. One a process: the first folder stays the process's own."""

    def __init__(self, instance: Path) -> None:
        self._folder = folder(instance)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(self._folder)  # read once, when the package is imported
        from prometheus_client import Counter, Histogram

        def counter(name: str, meaning: str, *labels: str) -> Counter:
            return Counter(f"audience_{name}", meaning, labels, registry=None)

        def histogram(name: str, meaning: str, *labels: str) -> Histogram:
            return Histogram(f"audience_{name}", meaning, labels, registry=None, buckets=BUCKETS)

        self._requests = counter("requests", "Requests answered.", "method", "route", "status")
        self._seconds = histogram("request_seconds", "Time to answer a request.", "method", "route")
        self._imports = counter("imports", "Imports ended.", "status")
        self._rows = counter("import_rows", "Rows of ended imports.", "outcome")
        self._answers = counter("answers", "Sign-up questions answered.", "question")
        self._reasons = counter("answer_reasons", "Reason codes of the answers.", "question", "reason")
        self._dns = histogram("dns_seconds", "Time of a round of DNS questions.")

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(method, route).observe(seconds)

    def batch(self, status: str, rows: Mapping[str, int]) -> None:
        self._imports.labels(status).inc()
        for outcome, count in rows.items():
            self._rows.labels(outcome).inc(count)

    def answer(self, question: str, reasons: Sequence[str]) -> None:
        self._answers.labels(question).inc()
        for reason in reasons:
            self._reasons.labels(question, reason).inc()

    def dns(self, seconds: float) -> None:
        self._dns.observe(seconds)

    def page(self, gauges: Mapping[str, float]) -> bytes:
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        registry = CollectorRegistry()
        collector: Any = MultiProcessCollector
        collector(registry, path=str(self._folder))
        registry.register(Moment(gauges))
        return generate_latest(registry)


class Moment:
    """What is so now, as a collector of prometheus_client's."""

    def __init__(self, gauges: Mapping[str, float]) -> None:
        self._gauges = gauges

    def collect(self) -> "Iterator[Metric]":
        from prometheus_client.core import GaugeMetricFamily

        for name, value in self._gauges.items():
            yield GaugeMetricFamily(f"audience_{name}", GAUGES[name], value=value)


def folder(instance: Path) -> Path:
    return instance / "metrics"


def forget(instance: Path) -> None:
    """Starts from zero; to be called while no process counts."""
    shutil.rmtree(folder(instance), ignore_errors=True)
