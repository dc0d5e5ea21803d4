"""Counts are summed over processes, and outlive them."""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from audience.telemetry import METRICS, MetricKind
from tests.service import PATIENCE_SECONDS
from workers import metrics
from workers.metrics import Metrics

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


def count(instance, **environ):
    """The output of a process that counts each thing once and is then killed."""
    run = subprocess.run(
        [sys.executable, "-c", COUNTS, str(instance)],
        capture_output=True, text=True, timeout=PATIENCE_SECONDS, env=os.environ | environ,
    )  # fmt: skip
    assert run.returncode == -signal.SIGKILL, run.stderr
    return run.stdout.splitlines()


def imports_on(page, status="finished"):
    [line] = [line for line in page.decode().splitlines() if f'imports_total{{status="{status}"}}' in line]
    return float(line.split()[-1])


def imports(instance):
    """The imports that a process which has counted nothing shows."""
    return imports_on(Metrics(instance).render({}))


@pytest.mark.parametrize("processes", [1, 3])
def test_render_sums_all_processes_dead_ones_included(tmp_path, processes):
    for _ in range(processes):
        page = count(tmp_path)
    total = float(processes)
    tags = 'method="GET",route="/api/v1/fetch/tags"'
    assert f'audience_requests_total{{{tags},status="200"}} {total}' in page
    assert f'audience_request_seconds_bucket{{le="0.1",{tags}}} 0.0' in page
    assert f'audience_request_seconds_bucket{{le="0.25",{tags}}} {total}' in page
    assert f'audience_request_seconds_bucket{{le="+Inf",{tags}}} {total}' in page
    assert f"audience_request_seconds_count{{{tags}}} {total}" in page
    assert f'audience_imports_total{{status="finished"}} {total}' in page
    assert f'audience_import_rows_total{{outcome="created"}} {3 * total}' in page
    assert 'audience_import_rows_total{outcome="refused"} 0.0' in page
    assert f'audience_answers_total{{question="validation"}} {total}' in page
    assert f'audience_answer_reasons_total{{question="validation",reason="no_mx"}} {total}' in page
    assert f"audience_dns_seconds_count {total}" in page
    assert "audience_imports_waiting 4.0" in page
    assert "audience_metrics_write_errors_total 0.0" in page


def test_ended_processes_leave_one_file(tmp_path):
    for _ in range(3):
        count(tmp_path)
    own = Metrics(tmp_path)
    own.write()
    assert {file.name for file in metrics.folder(tmp_path).iterdir()} == {"ended.json", f"{os.getpid()}.json"}
    assert imports_on(own.render({})) == 3.0


def write_killed_at(step, instance, monkeypatch):
    """A process that dies at a call of `Path`."""

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, step, killed)
        with pytest.raises(KeyboardInterrupt):
            Metrics(instance).write()


def test_a_process_that_dies_while_it_folds_counts_nothing_twice(tmp_path, monkeypatch):
    count(tmp_path)
    for _ in range(2):  # the second finds what the first left
        write_killed_at("unlink", tmp_path, monkeypatch)
        assert len(list(metrics.folder(tmp_path).glob("[0-9]*.json"))) == 1
    assert imports(tmp_path) == 1.0
    count(tmp_path)
    assert imports(tmp_path) == 2.0


def test_a_process_that_dies_before_it_has_folded_loses_nothing(tmp_path, monkeypatch):
    count(tmp_path)
    write_killed_at("replace", tmp_path, monkeypatch)
    assert imports(tmp_path) == 1.0


def test_a_process_with_the_pid_of_an_ended_one_neither_hides_nor_repeats_its_counts(tmp_path):
    for number in (1.0, 2.0, 3.0):
        another = Metrics(tmp_path)
        another.count("imports", status="finished")
        assert imports_on(another.render({})) == number
        another.write()
        assert imports_on(another.render({})) == number


def test_a_damaged_file_does_not_stop_the_page(tmp_path):
    count(tmp_path)
    [file] = metrics.folder(tmp_path).glob("[0-9]*.json")
    file.write_bytes(b"")
    (metrics.folder(tmp_path) / "ended.json").write_text('{"a": 1}')
    own = Metrics(tmp_path)
    own.count("imports", status="finished")
    assert imports_on(own.render({})) == 1.0


def limited(size):
    """Lets this process write no file beyond `size` bytes."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))


def test_a_disk_that_takes_nothing_is_counted_and_made_up_for(tmp_path):
    count(tmp_path)
    own = Metrics(tmp_path)
    own.count("imports", status="finished")
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    limited(0)
    try:
        page = own.render({})
    finally:
        limited(most)
    assert imports_on(page) == 2.0
    assert b"audience_metrics_write_errors_total 1.0" in page
    assert b"audience_metrics_write_errors_total 1.0" in own.render({})
    assert imports(tmp_path) == 2.0


def test_a_folder_that_is_gone_is_no_error(tmp_path):
    own = Metrics(tmp_path / "gone")
    own.count("imports", status="finished")
    assert imports_on(own.render({})) == 1.0
    assert not (tmp_path / "gone").exists()


def test_counts_are_written_every_five_seconds_and_at_the_end(tmp_path):
    own = Metrics(tmp_path)
    waits: list[float] = []
    seen: list[Any] = []
    file = metrics.folder(tmp_path) / f"{os.getpid()}.json"

    class Main(threading.Thread):
        """A main thread that ends during the second wait."""

        def is_alive(self):
            return len(waits) < 2

        def join(self, timeout=None):
            seen.append(file.exists() and json.loads(file.read_bytes())[1])
            waits.append(timeout)
            own.count("imports", status="finished")

    own.keep_written(Main())
    assert (waits, seen) == ([5.0, 5.0], [False, [[["imports", "finished", ""], 1.0]]])
    assert imports(tmp_path) == 2.0


def test_a_process_that_ends_leaves_its_counts(tmp_path):
    code = """
import pathlib, sys
from workers import metrics

metrics.start(pathlib.Path(sys.argv[1])).count("imports", status="finished")
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=PATIENCE_SECONDS)
    assert imports(tmp_path) == 1.0


def test_every_metric_has_exactly_its_labels(tmp_path):
    own = Metrics(tmp_path)
    for spec in METRICS:
        act = own.count if spec.kind is MetricKind.COUNTER else own.observe
        act(spec.name, 1, **dict.fromkeys(spec.labels, "x"))
        with pytest.raises(ValueError, match=spec.name):
            act(spec.name, 1, other="x")


def test_another_programs_setting_for_prometheus_creates_no_mapped_files(tmp_path):
    count(tmp_path, PROMETHEUS_MULTIPROC_DIR=str(tmp_path))
    assert list(tmp_path.iterdir()) == [metrics.folder(tmp_path)]


def test_serve_starts_from_zero(tmp_path):
    count(tmp_path)
    metrics.forget(tmp_path)
    assert "audience_dns_seconds_count 1.0" in count(tmp_path)


def test_files_are_private(tmp_path):
    count(tmp_path)
    files = [metrics.folder(tmp_path), *metrics.folder(tmp_path).iterdir()]
    assert [os.stat(file).st_mode & 0o077 for file in files] == [0, 0]
