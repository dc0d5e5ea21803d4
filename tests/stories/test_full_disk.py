"""A story: a service whose whole disk is full, its own output included, and which gets room again."""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import depth
from tests.client import basic
from tests.service import PATIENCE_SECONDS, Service, attended, command, environment, free_port, until
from tests.small_disk import mounted

ROWS = 1_000
WRITES = (
    ("POST", "/fetch/subscribers", {"subscriber": {"email": "new@example.com"}}),
    ("POST", "/batch/subscribers", {"subscribers": [{"email": "new@example.com"}] * 2}),
    ("POST", "/fetch/tags", {"tag": {"name": "new"}}),
    ("POST", "/batch/events", {"events": [{"email": "new@example.com", "type": "seen"}]}),
    ("DELETE", "/fetch/subscribers?email=nobody@example.com", None),
)
LARGE = {"subscribers": [{"email": f"l{each}@example.com", "note": "x" * 7_000} for each in range(1_000)]}
READS = ("/stats/site", "/fetch/subscribers?email=first@example.com", "/fetch/search", "/batch/imports")


def answer(service: Service, method: str, path: str, body=None) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_SECONDS)
    first = service.first
    headers = {"Authorization": basic(first["publishable_key"], first["secret_key"])}
    content = None if body is None else json.dumps(body)
    try:
        connection.request(method, path, content, headers | {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def api(service: Service, method: str, path: str, body=None) -> tuple[int, http.client.HTTPMessage, bytes]:
    return answer(service, method, f"/api/v1{path}", body)


def addresses(service: Service) -> set[str]:
    exported = api(service, "GET", "/fetch/export?format=jsonl")[2]
    return {json.loads(line)["email"] for line in exported.splitlines()}


def finished_on_metrics(service: Service) -> float:
    page = answer(service, "GET", "/metrics")[2].decode()
    found = re.search(r'^audience_imports_total\{status="finished"\} (\S+)$', page, re.MULTILINE)
    return float(found[1]) if found else 0.0


def batch(plan: str) -> dict[str, Any]:
    return {"subscribers": [{"email": f"p{each}@example.com", "plan": plan} for each in range(ROWS)]}


@pytest.fixture
def disk(tmp_path):
    with mounted(tmp_path / "disk", 96) as disk:
        yield disk


@pytest.fixture
def service(disk, geo_table):
    """Running on the small disk, with its output in a file there, and with one subscriber."""
    instance, port = disk.path / "instance", free_port()
    instance.mkdir(mode=0o700)
    shutil.copy(geo_table, instance)
    with (disk.path / "output").open("wb") as output:
        process = subprocess.Popen(
            command("serve"),
            env=environment(instance, port, AUDIENCE_WEB_WORKERS="1", AUDIENCE_WORKERS="1"),
            cwd=Path(__file__).parent.parent.parent,
            stdout=output,
            stderr=output,
            text=True,
            start_new_session=True,
        )
    with attended(process, instance, port) as service:
        person = {"subscriber": {"email": "first@example.com"}}
        assert api(service, "POST", "/fetch/subscribers", person)[0] == 201
        yield service


def statuses_on_a_full_disk(service: Service) -> None:
    for path in READS:
        assert api(service, "GET", path)[0] == 200, path
    for method, path, body in WRITES:  # a small one may fit into what the log of recent writes occupies
        status, headers, _ = api(service, method, path, body)
        assert status in (200, 201, 503), path
        assert ("Retry-After" in headers) == (status == 503), path
    status, headers, _ = api(service, "POST", "/batch/subscribers", LARGE)
    assert (status, "Retry-After" in headers) == (503, True)
    status, _, ready = answer(service, "GET", "/readyz")
    assert (status, json.loads(ready)["checks"]["disk"]) == (503, "Only 0.0 MiB of disk space free.")
    assert answer(service, "GET", "/healthz")[0] == 200
    status, _, page = answer(service, "GET", "/metrics")
    assert status == 200
    assert b"audience_metrics_write_errors_total" in page


@pytest.mark.parametrize("but_pages", [0, 3] if depth.whole else [3])
def test_a_service_on_a_full_disk_goes_on_reading_and_resumes_by_itself(disk, service, but_pages):
    web, [worker] = service.processes("app web"), service.processes("app worker")
    os.kill(worker, signal.SIGSTOP)
    ids = [
        json.loads(api(service, "POST", "/batch/subscribers", batch(plan))[2])["import_id"] for plan in "ab"
    ]
    disk.fill(but_pages)
    for _ in range(20):
        api(service, "POST", "/fetch/subscribers", {"subscriber": {"email": "uses@example.com"}})
    disk.fill()
    statuses_on_a_full_disk(service)
    service.kill("app worker")
    statuses_on_a_full_disk(service)
    service.kill("app worker")
    until(lambda: answer(service, "GET", "/readyz")[0] == 503)
    assert service.processes("app web") == web
    disk.make_room()

    def finished():
        answers = [json.loads(api(service, "GET", f"/batch/imports/{each}")[2])["data"] for each in ids]
        return all(each["attributes"]["status"] == "finished" for each in answers) and answers

    first, second = until(finished)
    assert (first["attributes"]["created"], second["attributes"]["updated"]) == (ROWS, ROWS)
    person = json.loads(api(service, "GET", f"/fetch/subscribers?email=p{ROWS - 1}@example.com")[2])["data"]
    assert person["attributes"]["fields"]["plan"] == "b"
    until(lambda: finished_on_metrics(service) >= 2.0)
    stats = json.loads(api(service, "GET", "/stats/site")[2])
    assert stats["user_count"] == len(addresses(service))
    assert api(service, "POST", "/fetch/tags", {"tag": {"name": "new"}})[0] == 201
