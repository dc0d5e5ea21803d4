"""Counts are summed over processes, and outlive them."""

import os
import signal
import subprocess
import sys

import pytest

from workers import metrics

COUNTS = """
import os, pathlib, signal, sys
from workers.metrics import Metrics

metrics = Metrics(pathlib.Path(sys.argv[1]))
metrics.count("requests", method="GET", route="/api/v1/fetch/tags", status=200)
metrics.observe("request_seconds", 0.2, route="/api/v1/fetch/tags", method="GET")
metrics.count("imports", status="finished")
metrics.count("import_rows", 3, outcome="created")
metrics.count("import_rows", 0, outcome="refused")
metrics.count("answers", question="validation")
for reason in ("free_provider", "no_mx"):
    metrics.count("answer_reasons", question="validation", reason=reason)
metrics.observe("dns_seconds", 0.02)
print(metrics.render({"imports_waiting": 4}).decode(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def count(instance):
    """The output of a process that counts each thing once and is then killed."""
    run = subprocess.run(
        [sys.executable, "-c", COUNTS, str(instance)], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    return run.stdout.splitlines()


@pytest.mark.parametrize("processes", [1, 3])
def test_render_sums_all_processes_dead_ones_included(tmp_path, processes):
    for _ in range(processes):
        page = count(tmp_path)
    total = float(processes)
    tags = 'method="GET",route="/api/v1/fetch/tags"'
    assert f'audience_requests_total{{{tags},status="200"}} {total}' in page
    assert f'audience_request_seconds_bucket{{le="0.1",{tags}}} 0.0' in page
    assert f'audience_request_seconds_bucket{{le="0.25",{tags}}} {total}' in page
    assert f'audience_imports_total{{status="finished"}} {total}' in page
    assert f'audience_import_rows_total{{outcome="created"}} {3 * total}' in page
    assert 'audience_import_rows_total{outcome="refused"} 0.0' in page
    assert f'audience_answers_total{{question="validation"}} {total}' in page
    assert f'audience_answer_reasons_total{{question="validation",reason="no_mx"}} {total}' in page
    assert f"audience_dns_seconds_count {total}" in page
    assert "audience_imports_waiting 4.0" in page


def test_every_metric_has_exactly_its_labels(tmp_path):
    code = """
import pathlib, sys
from audience.telemetry import METRICS, MetricKind
from workers.metrics import Metrics

metrics = Metrics(pathlib.Path(sys.argv[1]))
for spec in METRICS:
    act = metrics.count if spec.kind is MetricKind.COUNTER else metrics.observe
    act(spec.name, 1, **dict.fromkeys(spec.labels, "x"))
    try:
        act(spec.name, 1, other="x")
    except ValueError:
        continue
    sys.exit(f"{spec.name} takes another label")
"""
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr


def test_serve_starts_from_zero(tmp_path):
    count(tmp_path)
    metrics.forget(tmp_path)
    assert "audience_dns_seconds_count 1.0" in count(tmp_path)


def test_files_are_private(tmp_path):
    count(tmp_path)
    assert os.stat(metrics.folder(tmp_path)).st_mode & 0o077 == 0
