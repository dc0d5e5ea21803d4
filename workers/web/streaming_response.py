"""Streams a response of unknown length through a named pipe, which granian reads as a file.

granian's own streaming buffers without limit when a client reads slowly; a full pipe makes the application
wait. If a response fails midway, the connection is shut down, so that the client does not take it for
complete.
"""

import errno
import os
import select
import socket
import stat
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

OPEN_TIMEOUT_SECONDS = 30.0
POLL_SECONDS = 0.002
CHUNK_BYTES = 2**16


def send(
    proto: Any,
    status: int,
    headers: list[tuple[str, str]],
    chunks: Iterable[bytes],
    client: tuple[str, int],
    timeout_seconds: float,
) -> None:
    """Raises what `chunks` raises, and `OSError` if `client` (address, port) disconnects or reads nothing for
    `timeout_seconds`."""
    with tempfile.TemporaryDirectory(prefix="audience-") as folder:
        path = Path(folder) / "response"
        os.mkfifo(path, 0o600)
        proto.response_file(status, headers, str(path))
        pipe = _open_for_writing(path)
    try:
        for chunk in chunks:
            _write(pipe, memoryview(chunk), timeout_seconds)
    except BaseException:
        hang_up(client)
        raise
    finally:
        os.close(pipe)


def _open_for_writing(path: Path) -> int:
    """Opens the pipe as soon as granian reads from it."""
    deadline = time.monotonic() + OPEN_TIMEOUT_SECONDS
    while True:
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO or time.monotonic() > deadline:
                raise
        time.sleep(POLL_SECONDS)


def _write(pipe: int, data: memoryview, timeout_seconds: float) -> None:
    poll = select.poll()
    poll.register(pipe, select.POLLOUT)
    while data:
        if not poll.poll(timeout_seconds * 1000):
            raise TimeoutError("the client stopped reading the response")
        data = data[os.write(pipe, data[:CHUNK_BYTES]) :]


def hang_up(client: tuple[str, int]) -> None:
    """Shuts down the connection of a client, found among the open files of this process."""
    for name in os.listdir("/dev/fd"):
        try:
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as connection:
                if connection.getpeername()[:2] == client:
                    connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            continue
