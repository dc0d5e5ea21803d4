"""Counts over all processes of an instance, kept by prometheus_client in files of a shared folder.

The counts of a process outlive it; `serve` starts from zero.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from audience.telemetry import GAUGES, METRICS, MetricKind

BUCKETS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """`audience.protocols.Metrics`. At most one per process.

    prometheus_client reads an environment variable when it is first imported, so nothing may import it before
    that is set.
    """

    def __init__(self, instance: Path) -> None:
        self._folder = folder(instance)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(self._folder)
        from prometheus_client import Counter, Histogram

        kinds: dict[MetricKind, Any] = {
            MetricKind.COUNTER: Counter,
            MetricKind.HISTOGRAM: partial(Histogram, buckets=BUCKETS_SECONDS),
        }
        self._metrics = {
            spec.name: kinds[spec.kind](f"audience_{spec.name}", spec.meaning, spec.labels, registry=None)
            for spec in METRICS
        }
        self._children: dict[tuple[Any, ...], Any] = {}  # calling `labels()` each time is slow

    def count(self, name: str, amount: float = 1, /, **labels: str | int) -> None:
        self._child(name, labels).inc(amount)

    def observe(self, name: str, value: float, /, **labels: str | int) -> None:
        self._child(name, labels).observe(value)

    def _child(self, name: str, labels: dict[str, str | int]) -> Any:
        key = (name, *labels.items())
        child = self._children.get(key)
        if child is None:
            metric = self._metrics[name]
            child = self._children[key] = metric.labels(**labels) if labels else metric
        return child

    def render(self, gauges: Mapping[str, float]) -> bytes:
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        registry = CollectorRegistry()
        collector: Any = MultiProcessCollector
        collector(registry, path=str(self._folder))
        registry.register(GaugeSnapshot(gauges))
        return generate_latest(registry)


class GaugeSnapshot:
    """A prometheus_client collector of the given values."""

    def __init__(self, gauges: Mapping[str, float]) -> None:
        self._gauges = gauges

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import GaugeMetricFamily

        for name, value in self._gauges.items():
            yield GaugeMetricFamily(f"audience_{name}", GAUGES[name], value=value)


def folder(instance: Path) -> Path:
    return instance / "metrics"


def forget(instance: Path) -> None:
    """Deletes all counts. Call it while no process counts."""
    shutil.rmtree(folder(instance), ignore_errors=True)
