"""The mirror of docs/integrations.md and `audience mirror` follow a service, whatever dies (a story)."""

import json
import os
import random
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from tests import page_mirrors
from tests.service import serving, until

WRITES = 120
ANN, BOB = [{"uuid": name, "fields": dict[str, str](), "tags": list[str]()} for name in ("ann", "bob")]
END = b"0\r\n\r\n"


class BrokenExport(BaseHTTPRequestHandler):
    """A service whose first export breaks off between two chunks."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        asked = vars(self.server)["asked"]
        asked.append("export" if "/export?" in self.path else "changes")
        if asked[-1] == "export":
            self.say([json.dumps(ANN), json.dumps(BOB)], is_broken=len(asked) == 1)
        else:
            self.say([json.dumps({"data": [], "meta": {"next": "2", "has_more": False}})])

    def say(self, lines, is_broken=False):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("X-Audience-Change", "2")
        self.end_headers()
        for line in lines[:1] if is_broken else lines:
            self.wfile.write(f"{len(line) + 1:x}\r\n{line}\n\r\n".encode())
        self.wfile.write(b"" if is_broken else END)
        self.close_connection = True

    def log_message(self, *_):
        """Nothing."""


@pytest.fixture
def broken():
    """As the mirrors see a service; `asked` is what they asked for."""
    with ThreadingHTTPServer(("127.0.0.1", 0), BrokenExport) as server:
        asked = vars(server)["asked"] = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        first = {"publishable_key": "p", "secret_key": "s", "site_uuid": "u"}
        yield SimpleNamespace(port=server.server_port, first=first, asked=asked)
        server.shutdown()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request):
    """Of a new database; "" of a file."""
    if request.param == "sqlite":
        yield ""
        return
    server = request.getfixturevalue("server")
    url = server.create()
    yield url
    server.drop(url)


def test_a_mirror_is_the_export_whatever_dies(tmp_path, geo_table, url):
    chance = random.Random(7)
    settings = {"AUDIENCE_DNS_SERVERS": "127.0.0.1:9", "AUDIENCE_DATABASE_URL": url}
    with serving(tmp_path / "instance", **settings) as service:
        for _ in range(20):
            page_mirrors.write(service.call, chance)
        with page_mirrors.following(tmp_path, service) as followers:
            for number in range(WRITES):
                page_mirrors.write(service.call, chance)
                if number in (30, 75):
                    for follower in followers:
                        follower.kill()
                if number in (40, 80):
                    for follower in followers:
                        follower.start()
                if number == 50:
                    service.kill("app worker")
                if number == 90:
                    os.kill(service.processes("app web")[-1], signal.SIGKILL)
            page_mirrors.wait_for(followers, service)
        assert len(page_mirrors.export(service)) > 100


def test_an_export_that_broke_off_is_asked_for_again(tmp_path, broken):
    follower = page_mirrors.Follower(tmp_path / "page", broken)
    try:
        until(lambda: "changes" in broken.asked and follower.people())
        assert broken.asked[:3] == ["export", "export", "changes"]
        assert follower.people() == {"ann": ANN, "bob": BOB}
    finally:
        follower.kill()


def test_the_mirror_has_thirty_lines():
    assert len([line for line in page_mirrors.program().splitlines() if line]) <= 30
