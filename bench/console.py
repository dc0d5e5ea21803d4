"""`python -m bench.console`: the weight of the console's pages, and how long a browser waits for them.

Each row stands beside its limit. Bytes are as sent: files compressed, pages not. Times are medians, from the
request to the first byte for the overview, to the last for lists of 100.
"""

import gzip
import http.client
import os
import re
import subprocess
import time
from dataclasses import dataclass
from statistics import median
from urllib.parse import urlencode

from bench import instances
from bench.rows import MS, Row, parser, show
from tests.service import Service, command, environment, serving

SUBSCRIBERS = 1_000_000
BYTES = "bytes"
STYLE, PACKED_STYLE, FIRST_PAGE = 24 * 1024, 7 * 1024, 60_000
FIRST_BYTE_MS, LIST_MS = 100, 200
FILES = re.compile(r'(?:href|src)="(/console/static/[^"#]+)')
LISTS = {
    "list of 100": "",
    "list of 100, by last event": "?order=last_event_at",
    "list of 100, of those who left": "?status=unsubscribed",
    "list of 100, page 50": "?page=50",
}


@dataclass
class Visitor:
    """A browser that is signed in, as it were."""

    port: int
    cookie: str = ""

    def get(self, path: str) -> tuple[float, float, bytes]:
        """(ms to the first byte, ms to the last, body as sent)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        began = time.perf_counter()
        connection.request("GET", path, headers={"Cookie": self.cookie, "Accept-Encoding": "gzip"})
        response = connection.getresponse()
        first = time.perf_counter()
        body = response.read()
        last = time.perf_counter()
        connection.close()
        if response.status != 200:
            raise ValueError(f"{path}: {response.status}")
        return (first - began) * 1000, (last - began) * 1000, body

    def sign_in(self, token: str) -> str:
        """At a one-time link; the path of the first page."""
        origin = f"http://127.0.0.1:{self.port}"
        headers = {"Origin": origin, "Content-Type": "application/x-www-form-urlencoded"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("POST", "/console/link", urlencode({"token": token}), headers)
        response = connection.getresponse()
        response.read()
        self.cookie = (response.headers["Set-Cookie"] or "").partition(";")[0]
        connection.request("GET", "/console", headers={"Cookie": self.cookie})
        return str(connection.getresponse().headers["Location"])


def main() -> None:
    options = parser(__doc__, SUBSCRIBERS).parse_args()
    with (
        open(os.devnull, "w") as log,
        instances.filled(options.instance, options.subscribers) as instance,
        serving(instance, log) as service,
    ):
        visitor = Visitor(service.port)
        site = visitor.sign_in(_token(service))
        rows = [*_weights(visitor, site), *_times(visitor, site, options.runs)]
    show(rows, options.json)


def _token(service: Service) -> str:
    done = subprocess.run(
        command("console"), env=environment(service.instance, service.port),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.partition("#")[2].split()[0]


def _weights(visitor: Visitor, site: str) -> list[Row]:
    page = visitor.get(site)[2]
    files = sorted(set(FILES.findall(page.decode())))
    sent = {file: visitor.get(file)[2] for file in files}
    [style] = [body for file, body in sent.items() if file.endswith(".css")]
    return [
        _row("style sheet", len(gzip.decompress(style)), BYTES, STYLE),
        _row("style sheet, compressed", len(style), BYTES, PACKED_STYLE),
        _row("first page, all of it", len(page) + sum(map(len, sent.values())), BYTES, FIRST_PAGE),
    ]


def _times(visitor: Visitor, site: str, runs: int) -> list[Row]:
    firsts = [visitor.get(site)[0] for _ in range(runs)]
    lists = {
        what: median(visitor.get(f"{site}/subscribers{query}")[1] for _ in range(runs))
        for what, query in LISTS.items()
    }
    rows = [_row(what, ms, MS, LIST_MS) for what, ms in lists.items()]
    return [_row("overview, first byte", median(firsts), MS, FIRST_BYTE_MS), *rows]


def _row(what: str, ours: float, unit: str, limit: float) -> Row:
    return Row(what=what, ours=ours, unit=unit, limit=limit, of_limit=ours / limit)


if __name__ == "__main__":
    main()
