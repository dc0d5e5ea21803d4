"""The web server as processes: hostile clients, and the environ that the application gets."""

import ast
import subprocess
import sys

import pytest

from tests.service import PATIENCE_SECONDS, until
from tests.workers.conftest import alive, descendants
from tests.workers.web_client import answer, connect, read_answer

TOP = b"POST / HTTP/1.1\r\nHost: x\r\n"


def environ_of(settings, request):
    return ast.literal_eval(answer(settings, request)[2].decode())


def test_environ(web, settings):
    web()
    environ = environ_of(
        settings,
        b"GET /caf%C3%A9/a%20b?q=%ff&r=1 HTTP/1.1\r\nHost: x:1\r\nX-Name: 1\r\nX-Name: 2\r\nCookie: a=1\r\n"
        b"Cookie: b=2\r\nContent-Type: text/x\r\nAuthorization: Basic abc\r\nX_Name: 3\r\nX_Other: 4\r\n\r\n",
    )
    assert environ["PATH_INFO"] == "/café/a b".encode().decode("latin-1")
    assert environ["QUERY_STRING"] == "q=%ff&r=1"
    assert environ["REMOTE_ADDR"] == "127.0.0.1"
    assert (environ["SERVER_PROTOCOL"], environ["SERVER_PORT"]) == ("HTTP/1.1", str(settings.port))
    assert (environ["HTTP_HOST"], environ["CONTENT_TYPE"]) == ("x:1", "text/x")
    assert (environ["HTTP_X_NAME"], environ["HTTP_COOKIE"]) == ("1,2", "a=1; b=2")
    assert "HTTP_X_OTHER" not in environ
    assert environ_of(settings, "GET /?q=éő HTTP/1.1\r\nHost: x\r\n\r\n".encode())["QUERY_STRING"] == (
        "q=éő".encode().decode("latin-1")
    )
    assert "AUDIENCE_PORT" not in environ
    assert environ_of(settings, b"GET / HTTP/1.0\r\n\r\n")["SERVER_PROTOCOL"] == "HTTP/1.0"


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /%ff%fe?q=%ff HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        (b"GET /%00%0a HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        (b"GET /a\xff HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic \xff\r\n\r\n", 200),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 2_000_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"".join(b"X-%d: a\r\n" % n for n in range(500)) + b"\r\n", 431),
        (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        (b"NONSENSE\r\n\r\n", 400),
        (TOP + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", 400),
        (TOP + b"Content-Length: nine\r\n\r\n", 400),
        (b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", 200),
    ],
    ids=lambda value: value[:40] if isinstance(value, bytes) else value,
)
def test_odd_requests_are_answered_and_harmless(web, settings, request_bytes, status):
    web()
    assert answer(settings, request_bytes)[0] == status
    assert answer(settings, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")[0] == 200


@pytest.mark.parametrize(
    ("request_bytes", "body"),
    [
        (TOP + b"Content-Length: 5\r\n\r\nhello", b"5"),
        (TOP + b"Content-Length: 0\r\n\r\n", b"0"),
        (TOP + b"\r\n", b"0"),
        (TOP + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3\r\nyou\r\n0\r\n\r\n", b"8"),
        (TOP + b"Content-Length: 3000000\r\n\r\n" + b"x" * 3_000_000, b"3000000"),
    ],
    ids=["length", "empty", "none", "chunked", "large"],
)
def test_whole_bodies_are_read_to_their_end(web, settings, request_bytes, body):
    web()
    assert answer(settings, request_bytes)[2] == body


@pytest.mark.parametrize("head", [b"Content-Length: 4000001", b"Transfer-Encoding: chunked"])
def test_body_over_the_limit_is_not_taken(web, settings, head):
    web()
    body = b"3D0901\r\n" + b"x" * 4_000_001 + b"\r\n0\r\n\r\n" if b"chunked" in head else b"x" * 4_000_001
    assert answer(settings, TOP + head + b"\r\n\r\n", body)[::2] == (400, b"TooLarge")


@pytest.mark.parametrize("size", [100_000, 5_000_000])
def test_client_that_sends_everything_first_gets_its_response(web, settings, size):
    web()
    head = b"POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size
    assert answer(settings, head, b"x" * size)[0] == 401


def test_refused_client_that_expects_100_continue_sends_no_body(web, settings):
    web()
    head = b"POST /unread HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 50\r\n\r\n"
    assert answer(settings, head)[0] == 401


def test_unread_bodies_do_not_delay_others(web, settings):
    web()
    stalled = [connect(settings) for _ in range(30)]
    for client in stalled:
        client.sendall(b"POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nhello")
        assert read_answer(client)[0] == 401
    assert answer(settings, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")[0] == 200
    for client in stalled:
        client.close()


def test_expect_100_continue(web, settings):
    web()
    with connect(settings) as client:
        client.sendall(TOP + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"hello")
        assert read_answer(client)[2] == b"5"


@pytest.mark.parametrize(
    "part",
    [b"Content-Length: 50\r\n\r\nhello", b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"],
    ids=["length", "chunked"],
)
def test_partial_body_never_passes_for_a_complete_one(web, settings, part):
    web()
    assert answer(settings, TOP + part)[::2] == (400, b"TooLate")
    assert answer(settings, TOP + part, half_close=True)[::2] == (400, b"NotUnderstood")
    with connect(settings) as client:
        client.sendall(TOP + part)
    called = settings.instance / "called"
    until(lambda: called.read_text() == "TooLate\nNotUnderstood\nNotUnderstood\n")


def test_stalled_bodies_hold_threads_only_until_the_deadline(web, settings):
    web()
    stalled = [connect(settings) for _ in range(30)]
    for client in stalled:
        client.sendall(TOP + b"Content-Length: 50\r\n\r\nhello")
    assert answer(settings, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")[0] == 200
    for client in stalled:
        assert read_answer(client)[2] == b"TooLate"
        client.close()


def test_dribbled_body_has_one_deadline(web, settings):
    web()
    with connect(settings) as client:
        client.sendall(TOP + b"Content-Length: 5000\r\n\r\n")
        client.settimeout(0.1)

        def answered():
            try:
                client.sendall(b" ")
                return client.recv(12)
            except TimeoutError:
                return b""

        assert until(answered) == b"HTTP/1.1 400"


def test_failure_of_the_application_reveals_nothing(web, settings):
    program = web()
    status, head, body = answer(settings, b"GET /crash HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (status, body[:10]) == (500, b'{"error": ')
    assert b"content-type: application/json" in head
    assert "RuntimeError" in program.output()
    assert "someone@" not in program.output()


def test_web_stops_cleanly(web):
    program = web(WEB_WORKERS=2)
    below = descendants(program.pid)
    assert len(below) == 2
    assert program.end() == 0
    assert not any(alive(pid) for pid in below)


def test_web_processes_end_with_their_parent(web):
    program = web(WEB_WORKERS=2)
    below = descendants(program.pid)
    program.process.kill()
    program.process.wait(PATIENCE_SECONDS)
    until(lambda: not any(alive(pid) for pid in below))


@pytest.mark.parametrize(("soft", "hard", "connections"), [(256, 4096, 3072), (256, 20000, 8192)])
def test_connections_fit_the_limit_of_open_files(soft, hard, connections):
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))"
    code = f"{limit}\nfrom workers.web import server; print(server.max_connections())"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(output) == connections
