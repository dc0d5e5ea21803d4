"""Implements `audience.protocols.ChildProcess`: runs a function in a process of its own, with limits of
memory and CPU.
"""

import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any, BinaryIO

from storage.errors import Unavailable
from workers.parent_death import command_with_parent

MEMORY_BYTES = 512 * 2**20
CPU_SECONDS = 60
WAIT_FACTOR = 10  # of the CPU's seconds, until a child that does not come forward is killed
AT_ONCE, TURN_SECONDS = 2, 30  # of this process, each a core and some tens of MB
OUT_OF_MEMORY = 3  # exit status
turns = threading.BoundedSemaphore(AT_ONCE)


class ChildProcess:
    """Runs a function in a child process, which dies with this one. It reads the source from standard input,
    and writes the target to standard output.

    A call returns the function's result, sent as JSON in the last line of standard error. Raises
    `Unavailable` if other children do not end in time, `MemoryError` or `TimeoutError` at a limit, and
    `ChildProcessError` if the child fails otherwise.
    """

    def __init__(self, memory_bytes: int = MEMORY_BYTES, cpu_seconds: int = CPU_SECONDS) -> None:
        self._memory_bytes = memory_bytes
        self._cpu_seconds = cpu_seconds

    def __call__(
        self, function: Callable[..., Any], source: BinaryIO, target: BinaryIO, *arguments: Any
    ) -> Any:
        task = [function.__module__, function.__name__, self._memory_bytes, self._cpu_seconds, arguments]
        command = [sys.executable, "-P", "-m", "workers.child_process", json.dumps(task)]
        source.flush()
        source.seek(0)
        if not turns.acquire(timeout=TURN_SECONDS):
            raise Unavailable("too many files are read at once")
        try:
            done = subprocess.run(  # noqa: S603 - our own command line
                command_with_parent(command),
                stdin=source,
                stdout=target,
                stderr=subprocess.PIPE,
                timeout=self._cpu_seconds * WAIT_FACTOR,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(function.__name__) from error
        finally:
            turns.release()
        return _answer(function.__name__, done.returncode, done.stderr)


def _answer(name: str, status: int, errors: bytes) -> Any:
    """The function's result, from the child's standard error. Raises for another exit status than 0."""
    if status == OUT_OF_MEMORY:
        raise MemoryError(name)
    if status == -signal.SIGXCPU:
        raise TimeoutError(name)
    if status != 0:
        raise ChildProcessError(f"{name} ended with status {status}")
    return json.loads(errors.splitlines()[-1])


def main() -> None:
    """The child: sets limits, runs the function in the arguments, prints its result as JSON to stderr."""
    module, name, memory_bytes, cpu_seconds, arguments = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_CPU, cpu_seconds)
    if sys.platform != "darwin":  # which refuses to limit memory
        _limit(resource.RLIMIT_AS, memory_bytes)
    try:
        function = getattr(importlib.import_module(module), name)
        value = function(sys.stdin.buffer, sys.stdout.buffer, *arguments)
        sys.stdout.buffer.flush()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    print(json.dumps(value), file=sys.stderr)


def _limit(kind: int, value: int) -> None:
    """Lowers the soft limit of a resource.

    The hard limit stays: the signal for too much CPU is sent only below it.
    """
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


if __name__ == "__main__":
    main()
