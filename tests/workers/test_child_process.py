"""A function in a child process: what goes in and out, and its limits."""

import contextlib
import ctypes
import os
import tempfile
from pathlib import Path

import pytest

from storage.errors import Unavailable
from workers import child_process
from workers.child_process import ChildProcess

ROOT = Path(__file__).parents[2]


def shout(source, target, mark):
    """Reads, writes, and answers."""
    target.write(source.read().upper() + mark.encode())
    return {"pid": os.getpid(), "mark": mark}


def devour(source, target):
    return len(bytearray(2**40))


def burn(source, target):
    while True:
        pass


def crash(source, target):
    return ctypes.string_at(0)


def fail(source, target):
    raise ValueError("a secret")


@pytest.fixture
def files(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        yield source, target


def test_it_reads_a_file_writes_a_file_and_answers(files):
    source, target = files
    source.write(b"so be it")
    answer = ChildProcess()(shout, source, target, "!")
    target.seek(0)
    assert target.read() == b"SO BE IT!"
    assert answer["mark"] == "!"
    assert answer["pid"] != os.getpid()


@pytest.mark.parametrize(
    ("function", "error"),
    [(devour, MemoryError), (burn, TimeoutError), (crash, ChildProcessError), (fail, ChildProcessError)],
)
def test_it_fails_alone(files, function, error, capfd):
    with pytest.raises(error) as raised:
        ChildProcess(cpu_seconds=1)(function, *files)
    assert "secret" not in str(raised.value)
    assert capfd.readouterr().err == ""


def test_only_some_run_at_once_and_others_wait_for_a_while(files, monkeypatch):
    monkeypatch.setattr(child_process, "TURN_SECONDS", 0.01)
    with contextlib.ExitStack() as stack:
        for _ in range(child_process.AT_ONCE):
            stack.enter_context(child_process.turns)
        with pytest.raises(Unavailable, match="too many files"):
            ChildProcess()(shout, *files, "!")
    for _ in range(child_process.AT_ONCE + 1):
        assert ChildProcess()(shout, *files, "!")["mark"] == "!"


def test_memory_is_limited_at_512_mib(files):
    with pytest.raises(MemoryError):
        ChildProcess()(devour_some, *files, 512 * 2**20)
    assert ChildProcess()(devour_some, *files, 300 * 2**20) == 300 * 2**20


def devour_some(source, target, size):
    return len(bytearray(size))
