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
    """A request, as the receiver got it."""

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
    """`server.receiver` is the `Receiver`."""

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
        """Nothing."""


def status(code: int, text: str = "", **headers: str) -> Answer:
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
    """Answers nothing."""
    request.close_connection = True


def lies(request: Request) -> None:
    """Promises more than it sends, after a status that no HTTP has."""
    request.wfile.write(b"HTTP/9.9 two hundred\r\nContent-Length: -7\r\n\r\n")


@dataclass
class Receiver:
    """Answers by `script`, one each, then `always`; `received` has what came, in order."""

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
        """Answers 200 once the test lets it."""
        self.released.wait(60)
        OK(request)

    def drips(self, request: Request) -> None:
        """Sends an answer that never ends, a byte at a time."""
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
