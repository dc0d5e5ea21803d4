"""A receiver of webhooks on the loopback, which does what a test tells it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook


@dataclass
class Received:
    """A request that the receiver got."""

    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def data(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.body)["data"]
        return found

    @property
    def numbers(self) -> list[int]:
        return [int(change["id"]) for change in self.data]

    def is_signed_with(self, secret: str) -> bool:
        return bool(Webhook(secret).verify(self.body, self.headers))


Answer = Callable[["Request"], None]


class Request(BaseHTTPRequestHandler):
    """A handler of requests; `server.receiver` is the `Receiver`."""

    def do_POST(self) -> None:
        receiver: Receiver = vars(self.server)["receiver"]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = receiver.next_answer(Received(headers, body))
        answer(self)

    def say(self, status: int, text: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing."""


def status(code: int, text: str = "", **headers: str) -> Answer:
    """An answer with a status, a body and headers."""

    def answer(request: Request) -> None:
        request.send_response(code)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(text.encode())))
        request.end_headers()
        request.wfile.write(text.encode())

    return answer


OK = status(200)


def breaks_off(request: Request) -> None:
    """Ends the connection without an answer."""
    request.close_connection = True


def lies(request: Request) -> None:
    """Sends a head with a false version, status and length."""
    request.wfile.write(b"HTTP/9.9 two hundred\r\nContent-Length: -7\r\n\r\n")


@dataclass
class Receiver:
    """Answers each request by the next answer of `script`, then by `always`. `received` has the requests, in
    order.
    """

    url: str = ""
    received: list[Received] = field(default_factory=list)
    script: list[Answer] = field(default_factory=list)
    always: Answer = OK
    released: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def next_answer(self, received: Received) -> Answer:
        with self._lock:
            self.received.append(received)
            return self.script.pop(0) if self.script else self.always

    def hangs(self, request: Request) -> None:
        """Answers 200 once the test sets `released`."""
        self.released.wait(60)
        OK(request)

    def drips(self, request: Request) -> None:
        """Sends an answer that never ends, one byte at a time."""
        request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while not self.released.wait(0.05):
            request.wfile.write(b".")


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Request)
    vars(server)["receiver"] = receiver
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
