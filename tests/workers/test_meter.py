"""Counts are kept over processes, and outlive them."""

import os
import signal
import subprocess
import sys

import pytest

from workers import meter

COUNTS = """
import os, pathlib, signal, sys
from workers.meter import Meter

meter = Meter(pathlib.Path(sys.argv[1]))
meter.request("GET", "/api/v1/fetch/tags", 200, 0.2)
meter.batch("finished", {"created": 3, "refused": 0})
meter.answer("validation", ["free_provider", "no_mx"])
meter.dns(0.02)
print(meter.page({"imports_waiting": 4}).decode(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def count(instance):
    """What a process that counts each thing once, and is killed, has printed."""
    run = subprocess.run(
        [sys.executable, "-c", COUNTS, str(instance)], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    return run.stdout.splitlines()


@pytest.mark.parametrize("processes", [1, 3])
def test_a_page_sums_all_processes_the_dead_included(tmp_path, processes):
    for _ in range(processes):
        page = count(tmp_path)
    total = float(processes)
    tags = 'method="GET",route="/api/v1/fetch/tags"'
    assert f'audience_requests_total{{{tags},status="200"}} {total}' in page
    assert f'audience_request_seconds_bucket{{le="0.1",{tags}}} 0.0' in page
    assert f'audience_request_seconds_bucket{{le="0.25",{tags}}} {total}' in page
    assert f'audience_imports_total{{status="finished"}} {total}' in page
    assert f'audience_import_rows_total{{outcome="created"}} {3 * total}' in page
    assert f'audience_answers_total{{question="validation"}} {total}' in page
    assert f'audience_answer_reasons_total{{question="validation",reason="no_mx"}} {total}' in page
    assert f"audience_dns_seconds_count {total}" in page
    assert "audience_imports_waiting 4.0" in page


def test_serve_starts_from_zero(tmp_path):
    count(tmp_path)
    meter.forget(tmp_path)
    assert "audience_dns_seconds_count 1.0" in count(tmp_path)


def test_nobody_else_reads_the_files(tmp_path):
    count(tmp_path)
    assert os.stat(meter.folder(tmp_path)).st_mode & 0o077 == 0
