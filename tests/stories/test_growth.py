"""After thousands of requests a web process is as large as after the first ones, on every Python."""

from pathlib import Path

from bench import import_http, load
from tests.process_memory import pss_mb
from tests.service import serving, until

PEOPLE, FINDS, PAGES = 200, 3_000, 1_200
MAX_GROWTH_MB, MAX_THREADS = 5, 32


def test_thousands_of_requests_leave_no_memory_and_few_threads_behind(tmp_path):
    with serving(tmp_path, AUDIENCE_LOG_LEVEL="warning") as service:
        key = service.first["publishable_key"], service.first["secret_key"]
        items = [{"email": f"p{number}@example.com"} for number in range(PEOPLE)]
        assert service.call("POST", "/batch/subscribers", {"subscribers": items})[0] == 200
        until(lambda: import_http.applied(service))
        path = f"/api/v1/fetch/%s?site_uuid={service.first['site_uuid']}"
        find, page = f"{path % 'subscribers'}&email=p%d@example.com", path % "search"
        halves = [load.request("GET", find % (number % PEOPLE), key) for number in range(FINDS // 2)]
        halves += [load.request("GET", page, key)] * (PAGES // 2)
        load.fire(service.port, halves)
        before = pss_mb(service.process.pid)
        load.fire(service.port, halves)
        assert pss_mb(service.process.pid) - before < MAX_GROWTH_MB
        assert max(map(threads, service.processes("app web"))) < MAX_THREADS


def threads(pid):
    return len(list(Path(f"/proc/{pid}/task").iterdir()))
