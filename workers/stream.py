"""An answer of unknown length, sent while it is made, through a pipe that granian reads as a file.

granian's own stream takes all that it is given into memory, however slow the client reads; a pipe makes the
application wait. An answer that breaks off ends its connection, so that half of it never looks like all.
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

OPENED_WITHIN = 30.0
LOOK = 0.002
PIECE = 2**16


def send(
    proto: Any,
    status: int,
    headers: list[tuple[str, str]],
    chunks: Iterable[bytes],
    client: tuple[str, int],
    timeout: float,
) -> None:
    """Raises what `chunks` raises, and `OSError` when `client` (address, port) reads nothing for `timeout`
    seconds or has gone away."""
    with tempfile.TemporaryDirectory(prefix="audience-") as folder:
        path = Path(folder) / "answer"
        os.mkfifo(path, 0o600)
        proto.response_file(status, headers, str(path))
        pipe = _open_once_read(path)
    try:
        for chunk in chunks:
            _write(pipe, memoryview(chunk), timeout)
    except BaseException:
        hang_up(client)
        raise
    finally:
        os.close(pipe)


def _open_once_read(path: Path) -> int:
    deadline = time.monotonic() + OPENED_WITHIN
    while True:
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO or time.monotonic() > deadline:
                raise
        time.sleep(LOOK)


def _write(pipe: int, data: memoryview, timeout: float) -> None:
    waiting = select.poll()
    waiting.register(pipe, select.POLLOUT)
    while data:
        if not waiting.poll(timeout * 1000):
            raise TimeoutError("the client does not read its answer")
        data = data[os.write(pipe, data[:PIECE]) :]


def hang_up(client: tuple[str, int]) -> None:
    """Ends the connection of a client of this process."""
    for name in os.listdir("/dev/fd"):
        try:
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as connection:
                if connection.getpeername()[:2] == client:
                    connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            continue
