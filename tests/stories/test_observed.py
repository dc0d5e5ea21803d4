"""A story: the log, the metrics and the files of a full run."""

import http.client
import json
import re
import socket
import urllib.request
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from audience.answers.geolocation.packed_table import FILE
from tests.client import basic
from tests.service import PATIENCE_SECONDS, Service, serving, until

CANARY = "canary"
SUBSCRIBERS = [
    {"email": f"{CANARY}{each}@{CANARY}.example", "first_name": CANARY, "tags": CANARY, CANARY: CANARY}
    for each in range(3)
]
JSON = {"Content-Type": "application/json"}
DATABASE = re.compile(r"audience\.db(-wal|-shm)?")  # the one place for subscribers' data


@dataclass
class Run:
    """The log lines, metrics page and files of a run, the first site's keys, 20 requests by status, and the
    tokens of links that were answered and followed.
    """

    lines: list[str]
    page: str
    files: dict[str, bytes]
    first: dict[str, str]
    statuses: Counter[int]
    tokens: list[bytes]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    instance, folder = tmp_path_factory.mktemp("observed"), tmp_path_factory.mktemp("log")
    with (folder / "stderr").open("w") as log, serving(instance, log=log) as service:
        send_ordinary_requests(service)
        tokens = follow_links(service)
        send_hostile_requests(service)
        owner = keys(service.first["publishable_key"], service.first["secret_key"])
        statuses = Counter(raw(service, "GET", "/api/v1/stats/site", headers=owner) for _ in range(20))
        page = until(lambda: settled(metrics(service, "audience_imports_waiting 0.0"), folder / "stderr"))
        first = service.first
    assert service.process.stdout
    files = {
        str(each.relative_to(instance)): each.read_bytes() for each in instance.rglob("*") if each.is_file()
    }
    return Run((folder / "stderr").read_text().splitlines(), page, files, first, statuses, tokens)


def follow_links(service: Service) -> list[bytes]:
    """The tokens of somebody's links, which are asked for, and opened and posted to."""
    query = f"email={CANARY}0@{CANARY}.example"
    status, answer = service.call("GET", f"/fetch/links?{query}")
    assert status == 200
    assert service.call("GET", f"/fetch/subscribers?{query}&links=1")[1]["data"]["links"] == answer["data"]
    paths = [f"/{purpose}/{url.rpartition('/')[2]}" for purpose, url in answer["data"].items()]
    for path in paths:
        for method in ("GET", "HEAD", "POST", "DELETE"):
            raw(service, method, f"{path}?{path}")
    return [path.rpartition("/")[2].encode() for path in paths]


def send_ordinary_requests(service: Service) -> None:
    """Ordinary requests, with a queued import and a killed worker among them."""
    service.kill("app worker")
    service.call("POST", "/batch/subscribers", {"subscribers": SUBSCRIBERS})
    service.call("POST", "/batch/subscribers", {"subscribers": [*SUBSCRIBERS, {"email": CANARY}]})
    service.call("POST", "/fetch/subscribers", {"subscriber": SUBSCRIBERS[0]})
    service.call("POST", "/fetch/subscribers", {"subscriber": {"email": CANARY, "tags": {CANARY: 1}}})
    service.call("GET", f"/fetch/subscribers?email={CANARY}0@{CANARY}.example")
    service.call(
        "POST", "/fetch/search", {"email": f"{CANARY}@{CANARY}.example", "created_at": {"gt": CANARY}}
    )
    service.call("POST", "/batch/events", {"events": [{"email": SUBSCRIBERS[0]["email"], "type": CANARY}]})
    service.call(
        "POST", "/fetch/commands", {"command": {"command": "add_tag", "query": CANARY, **SUBSCRIBERS[1]}}
    )


def send_hostile_requests(service: Service) -> None:
    """Requests of unauthorized and broken clients, with the canary in every part of a request."""
    owner = keys(service.first["publishable_key"], service.first["secret_key"])
    headers_with_canary = {
        "User-Agent": CANARY, "Referer": CANARY, "Cookie": f"a={CANARY}", "X-Forwarded-For": CANARY,
        "X-Request-Id": CANARY, f"X-{CANARY}": CANARY, "Accept": CANARY, "Host": f"{CANARY}.example",
    }  # fmt: skip
    for headers in (owner, keys(CANARY, CANARY), {"Authorization": f"Bearer {CANARY}"}, {}):
        for method, path, body in (
            ("GET", f"/{CANARY}/{CANARY}?{CANARY}={CANARY}", None),
            ("GET", f"/api/v1/fetch/tags/{CANARY}", None),
            ("GET", f"/api/v1/fetch/tags?site_uuid={CANARY}", None),
            ("GET", f"/docs/{CANARY}", None),
            ("GET", "/metrics", None),
            (CANARY.upper(), f"/api/v1/fetch/tags?{CANARY}", None),
            ("POST", "/api/v1/batch/subscribers", f"{{{CANARY}"),
            ("POST", "/api/v1/batch/subscribers", f'["{CANARY}"]'),
            ("POST", "/api/v1/batch/subscribers", json.dumps({"subscribers": [{"email": CANARY}]})),
            ("POST", "/api/v1/fetch/fields", json.dumps({"field": {"key": [CANARY]}})),
            ("DELETE", f"/api/v1/fetch/tags/1?{CANARY}", CANARY),
        ):
            raw(service, method, path, body, headers | headers_with_canary | JSON)
    raw(service, "POST", "/api/v1/fetch/tags", CANARY, owner | {"Content-Type": "multipart/form-data"})
    for head in (
        f"GET /{CANARY} HTTP/9.9",
        f"{CANARY}",
        f"GET /{CANARY}\0 HTTP/1.1",
        f"GET http://[{CANARY} HTTP/1.1",
    ):
        garbage(service, f"{head}\r\nHost: {CANARY}\r\nContent-Length: {CANARY}\r\n\r\n{CANARY}")
    garbage(service, f"POST /api/v1/fetch/tags HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{CANARY}")


def keys(publishable_key: str, secret_key: str) -> dict[str, str]:
    return {"Authorization": basic(publishable_key, secret_key)}


def raw(
    service: Service,
    method: str,
    path: str,
    body: str | bytes | None = None,
    headers: dict[str, str] | None = None,
) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_SECONDS)
    try:
        connection.request(method, path, body, headers or {})
        return connection.getresponse().status
    finally:
        connection.close()


def garbage(service: Service, text: str) -> None:
    with socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE_SECONDS) as client:
        client.sendall(text.encode())
        client.shutdown(socket.SHUT_WR)
        while client.recv(4096):
            pass


def metrics(service: Service, awaited: str) -> str | None:
    with urllib.request.urlopen(
        f"http://127.0.0.1:{service.port}/metrics", timeout=PATIENCE_SECONDS
    ) as answer:
        page = answer.read().decode()
    return page if awaited in page else None


def settled(page: str | None, log: Path) -> str | None:
    """The page, once it has all requests and imports of the log: processes write their counts at times."""
    counts = re.findall(r"^audience_(?:requests|imports)_total\{(.*)\} (\S+)$", page or "", re.MULTILINE)
    unlogged = ('route="/metrics"', 'route="/healthz"')
    counted = sum(float(count) for labels, count in counts if not any(each in labels for each in unlogged))
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    lines = [line for line in lines if line["message"] in ("request", "import")]
    return page if counted == len([line for line in lines if line.get("route") != "/metrics"]) else None


def logged(run: Run, message: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in run.lines if line.startswith("{")]
    return [line for line in lines if line["message"] == message]


def test_request_data_is_only_in_the_database(run):
    places = {name: content for name, content in run.files.items() if not DATABASE.fullmatch(name)}
    del places[FILE]  # of places: it was there before, and names the Canary Islands
    assert {"pepper", "first-site.json"} < places.keys()
    assert any(name.startswith("redis/") for name in places)
    assert any(name.startswith("metrics/") for name in places)
    places |= {"the log": "\n".join(run.lines).encode(), "the metrics": run.page.encode()}
    assert [name for name, content in places.items() if CANARY.encode() in content.lower()] == []
    assert CANARY.encode() in run.files["audience.db"] + run.files.get("audience.db-wal", b"")


def test_a_token_of_a_link_is_in_no_log_metric_or_file(run):
    places = run.files | {"the log": "\n".join(run.lines).encode(), "the metrics": run.page.encode()}
    assert len(run.tokens) == 2
    assert [name for name, content in places.items() for token in run.tokens if token in content] == []


def test_secrets_are_only_in_their_files(run):
    secrets = [run.first["secret_key"].encode(), run.files["pepper"]]
    places = run.files | {"the log": "\n".join(run.lines).encode(), "the metrics": run.page.encode()}
    holders = {name for name, content in places.items() for secret in secrets if secret in content}
    assert holders == {"first-site.json", "pepper"}
    assert run.first["publishable_key"] not in "\n".join(run.lines) + run.page


def test_every_log_line_except_the_supervisors_is_json(run):
    others = [line for line in run.lines if not line.startswith("{")]
    assert all(re.fullmatch(r"audience: worker exited .*", line) for line in others), others
    for line in run.lines:
        if line.startswith("{"):
            assert {"time", "level", "logger", "message"} <= json.loads(line).keys()


def test_every_request_has_a_log_line(run):
    lines = [line for line in logged(run, "request") if line["route"] == "/api/v1/stats/site"]
    assert run.statuses == {200: 20}
    assert [(line["status"], line["site_id"], line["key_id"]) for line in lines] == [(200, 1, 1)] * 20
    assert len({line["request_id"] for line in lines}) == 20


def test_every_import_has_a_log_line(run):
    first, second, *_ = sorted(logged(run, "import"), key=lambda line: line["import_id"])
    for line in (first, second):
        assert line["status"] == "finished"
        assert line["created"] + line["updated"] + line["unchanged"] == len(SUBSCRIBERS)
    assert (first["refused"], second["refused"]) == (0, 1)


def test_counts_cover_all_processes(run):
    counts = Counter((line["method"], line["route"] or "", line["status"]) for line in logged(run, "request"))
    metric_counts = {
        (method, route, int(status)): float(count)
        for method, route, status, count in re.findall(
            r'^audience_requests_total\{method="(\w+)",route="(.*)",status="(\d+)"\} (\S+)$',
            run.page,
            re.MULTILINE,
        )
    }
    assert metric_counts["GET", "/api/v1/stats/site", 200] == 20
    for key, count in metric_counts.items():
        if key[1] not in ("/metrics", "/healthz"):
            assert counts[key] == count, key
    assert f'audience_imports_total{{status="finished"}} {float(len(logged(run, "import")))}' in run.page
