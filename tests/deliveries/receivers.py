"""Receivers of webhooks on this machine. A function of the test answers each connection."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Answer = Callable[[socket.socket, bytes], None]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"


@dataclass
class Server:
    port: int
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0

    def url(self, path: str = "/hook", scheme: str = "http", host: str = "localhost") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


def says(answer: bytes) -> Answer:
    return lambda connection, _: connection.sendall(answer)


def read_request(connection: socket.socket) -> bytes:
    with connection.makefile("rb") as file:
        head = b"".join(iter(file.readline, b"\r\n"))
        lines = (line.partition(b":") for line in head.splitlines()[1:])
        length = next(int(value) for name, _, value in lines if name.lower() == b"content-length")
        return head + b"\r\n" + file.read(length)


@contextmanager
def receiver(
    answer: Answer,
    *,
    context: ssl.SSLContext | None = None,
    host: str = "127.0.0.1",
    read: Callable[[socket.socket], bytes] = read_request,
) -> Iterator[Server]:
    """Listens during the block. Answers each request by `answer`, once it came whole."""
    with socket.create_server((host, 0)) as listener:
        server = Server(listener.getsockname()[1])
        thread = threading.Thread(target=_serve, args=(listener, server, context, read, answer))
        thread.start()
        try:
            yield server
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(
    listener: socket.socket,
    server: Server,
    context: ssl.SSLContext | None,
    read: Callable[[socket.socket], bytes],
    answer: Answer,
) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        server.connections += 1
        with suppress(OSError), connection:
            if context is not None:
                connection = context.wrap_socket(connection, server_side=True)
            with connection:
                server.requests.append(read(connection))
                answer(connection, server.requests[-1])
