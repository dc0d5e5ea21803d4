"""Counts over all processes of an instance. `serve` starts from zero.

Each process counts in memory, and writes its counts to `metrics/PID.json`. Any process that writes also adds
the files of ended processes to `metrics/ended.json`, and deletes them. `ended.json` names the processes that
were added last, so that a file is not counted twice if it could not be deleted.
"""

import fcntl
import json
import os
import secrets
import shutil
import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from audience.privacy.secret_files import private_opener
from audience.telemetry import GAUGES, METRICS, MetricKind, MetricSpec

WRITE_SECONDS = 5.0
BUCKETS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
BOUNDS = (*map(str, BUCKETS_SECONDS), "+Inf")
ENDED = "ended.json"
SPECS = {spec.name: spec for spec in METRICS}

Counts = dict[
    tuple[str, ...], float
]  # by name, values of the labels, and part: "", or a bound of BOUNDS or "sum"


class Samples(NamedTuple):
    """The contents of a file of metrics: counts, and ids of the processes that counted.

    These ids are random, because the system uses pids again.
    """

    ids: list[str]
    counts: Counts


class Metrics:
    """The metrics of one process; implements `audience.protocols.Metrics`."""

    def __init__(self, instance: Path) -> None:
        self._folder = folder(instance)
        self._id = secrets.token_hex(8)
        self._lock = threading.Lock()
        self._counts: Counts = {}
        self._series: dict[tuple[Any, ...], tuple[str, ...]] = {}  # by name and labels, as they are given

    def count(self, name: str, amount: float = 1, /, **labels: str | int) -> None:
        self._add({(*self._known_series(name, labels), ""): amount})

    def observe(self, name: str, value: float, /, **labels: str | int) -> None:
        series = self._known_series(name, labels)
        bound = BOUNDS[bisect_left(BUCKETS_SECONDS, value)]
        self._add({(*series, bound): 1, (*series, "sum"): value})

    def _known_series(self, name: str, labels: dict[str, str | int]) -> tuple[str, ...]:
        key = name, *labels.items()
        return self._series.get(key) or self._series.setdefault(key, _series(name, labels))

    def _add(self, counts: Counts) -> None:
        with self._lock:
            _add(self._counts, counts)

    def render(self, gauges: Mapping[str, float]) -> bytes:
        """All processes' counts and the gauges, as text for Prometheus.

        Writes this process's counts first: otherwise the next page, by another process, could show less.
        """
        self.write()
        with self._lock:
            total = dict(self._counts)
        for samples in self._others():
            _add(total, samples.counts)
        registry = CollectorRegistry()
        registry.register(Page(total, gauges))
        return generate_latest(registry)

    def _others(self) -> list[Samples]:
        """The samples of other processes, also of ended ones; empty if the folder cannot be read."""
        try:
            with _locked(self._folder):
                ended = _read(self._folder / ENDED)
                others = [_read(file) for file in self._files()]
        except OSError:
            return []
        ids = {self._id, *ended.ids}
        return [ended, *(samples for samples in others if ids.isdisjoint(samples.ids))]

    def write(self) -> None:
        """Writes the counts of this process, and adds up those of ended ones. Counts its own failures."""
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            with _locked(self._folder):
                self._fold_ended()
                with self._lock:
                    own = Samples([self._id], dict(self._counts))
                _write(self._folder / f"{os.getpid()}.json", own)
        except OSError:
            self.count("metrics_write_errors")

    def _fold_ended(self) -> None:
        """Adds ended processes' samples to `ENDED`, deletes their files. The caller holds the lock."""
        files = {file: _read(file) for file in self._files()}
        ended = {file: samples for file, samples in files.items() if self._has_ended(file, samples)}
        if not ended:
            return
        folded = _read(self._folder / ENDED)
        for samples in ended.values():
            if not set(samples.ids) & set(folded.ids):
                _add(folded.counts, samples.counts)
        ids = [process for samples in ended.values() for process in samples.ids]
        _write(self._folder / ENDED, Samples(ids, folded.counts))
        for file in ended:
            file.unlink()

    def _has_ended(self, file: Path, samples: Samples) -> bool:
        pid = int(file.stem)
        return samples.ids != [self._id] if pid == os.getpid() else not _exists(pid)

    def _files(self) -> list[Path]:
        return list(self._folder.glob("[0-9]*.json"))

    def keep_written(self, main: threading.Thread) -> None:
        """Writes the counts every `WRITE_SECONDS`, and once after the thread `main` has ended."""
        while main.is_alive():
            main.join(WRITE_SECONDS)
            self.write()


class Page:
    """A prometheus_client collector of counts and gauges."""

    def __init__(self, counts: Counts, gauges: Mapping[str, float]) -> None:
        self._counts, self._gauges = counts, gauges

    def collect(self) -> Iterator[Metric]:
        for spec in METRICS:
            yield _family(spec, self._counts)
        for name, value in self._gauges.items():
            yield GaugeMetricFamily(f"audience_{name}", GAUGES[name], value=value)


def start(instance: Path) -> Metrics:
    """The metrics of this process, which a new thread writes regularly."""
    metrics = Metrics(instance)
    metrics.write()
    threading.Thread(target=metrics.keep_written, args=(threading.main_thread(),), name="metrics").start()
    return metrics


def folder(instance: Path) -> Path:
    return instance / "metrics"


def forget(instance: Path) -> None:
    """Deletes all counts. No process may be counting."""
    shutil.rmtree(folder(instance), ignore_errors=True)


def _series(name: str, labels: Mapping[str, str | int]) -> tuple[str, ...]:
    names = SPECS[name].labels
    if labels.keys() != set(names):
        raise ValueError(f"{name} has the labels {names}")
    return (name, *(str(labels[label]) for label in names))


def _add(total: Counts, counts: Counts) -> None:
    for key, value in counts.items():
        total[key] = total.get(key, 0.0) + value


def _family(spec: MetricSpec, counts: Counts) -> Metric:
    name = f"audience_{spec.name}"
    if spec.kind is MetricKind.COUNTER:
        counter = CounterMetricFamily(name, spec.meaning, labels=spec.labels)
        for labels, parts in _parts(spec, counts):
            counter.add_metric(labels, parts.get("", 0.0))
        return counter
    histogram = HistogramMetricFamily(name, spec.meaning, labels=spec.labels)
    for labels, parts in _parts(spec, counts):
        cumulative = accumulate(parts.get(bound, 0.0) for bound in BOUNDS)
        histogram.add_metric(labels, list(zip(BOUNDS, cumulative, strict=True)), parts.get("sum", 0.0))
    return histogram


def _parts(spec: MetricSpec, counts: Counts) -> Iterable[tuple[tuple[str, ...], dict[str, float]]]:
    """Yields the series of a metric: the values of its labels, and its counts by part."""
    series: dict[tuple[str, ...], dict[str, float]] = {} if spec.labels else {(): {}}
    for (name, *labels, part), value in counts.items():
        if name == spec.name:
            series.setdefault(tuple(labels), {})[part] = value
    return series.items()


def _read(file: Path) -> Samples:
    """The samples in a file; empty if it is missing or damaged."""
    try:
        ids, counts = json.loads(file.read_bytes())
        return Samples(ids, {tuple(key): value for key, value in counts})
    except (OSError, ValueError, TypeError):
        return Samples([], {})


def _write(file: Path, samples: Samples) -> None:
    """Replaces the file in one step. The caller holds the lock."""
    draft = file.with_name("draft")
    try:
        with open(draft, "w", encoding="utf-8", opener=private_opener) as stream:
            json.dump([samples.ids, list(samples.counts.items())], stream)
        draft.replace(file)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Holds a lock on the folder that only one thread of one process can hold."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
