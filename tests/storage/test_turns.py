"""The turns of writers, among the threads of a process and among processes."""

import fcntl
import os
import signal
import subprocess
import sys
import threading

import pytest

from storage import database
from storage.engines.sqlite_turns import WAITING, FileTurn, Turns
from storage.errors import Unavailable

SITE = "INSERT INTO sites (uuid, name, created_at) VALUES (?, '', 0)"
HOLDER = """
import sys
from storage import database
database.open(sys.argv[1])
with database.write():
    print("writing", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def opened(tmp_path):
    url = f"sqlite:///{tmp_path / 'audience.db'}"
    database.open(url)
    database.migrate()
    yield url
    database.close()


@pytest.fixture
def holder(opened):
    """Another process in the middle of a write."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, opened], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "writing\n"
        yield process
        process.kill()


def add(name):
    with database.write():
        database.execute(SITE, (name,))


def names():
    with database.session():
        return [name for (name,) in database.rows("SELECT uuid FROM sites ORDER BY id")]


def started(target, *arguments):
    thread = threading.Thread(target=target, args=arguments)
    thread.start()
    return thread


def wait_until(condition):
    """Fails after about 30 s."""
    for _ in range(6000):
        if condition():
            return
        threading.Event().wait(0.005)
    raise AssertionError("it never came true")


def queued():
    return len(database.database.turns._waiting)


def test_threads_write_in_the_order_they_came(opened):
    threads = []
    with database.write():
        for number in range(8):
            threads.append(started(add, str(number)))
            wait_until(lambda number=number: queued() == number + 1)
    for thread in threads:
        thread.join(30)
    assert names() == [str(number) for number in range(8)]


def test_a_writer_gives_up_in_time_while_another_process_writes(opened, holder):
    database.open(opened, timeout=0.1)
    for _ in range(3):
        with pytest.raises(Unavailable, match="others are writing"):
            add("a")
    assert names() == []
    holder.stdin.write("\n")
    holder.stdin.flush()
    holder.wait(30)
    database.open(opened, timeout=30)
    add("b")
    assert names() == ["b"]


def test_a_process_that_is_killed_gives_its_turn_back(opened, holder):
    database.open(opened, timeout=30)
    thread = started(add, "a")
    wait_until(lambda: queued() == 1)
    holder.send_signal(signal.SIGKILL)
    thread.join(30)
    assert names() == ["a"]


def test_a_turn_that_nobody_waits_for_any_more_goes_to_others(tmp_path):
    path = str(tmp_path / "audience.db")
    other, turns, third = FileTurn(path), Turns(path), FileTurn(path)
    assert other.take_at_once()
    assert not turns.take(0.01)
    other.end()
    third.take()
    third.end()


def test_nobody_overtakes_the_one_who_waits(tmp_path):
    """The one who had the turn asks again at once, and does not get it before the other has had it."""
    path = str(tmp_path / "audience.db")
    first, second, may_end = FileTurn(path), FileTurn(path), threading.Event()

    def wait():
        second.take()
        may_end.wait(30)
        second.end()

    assert first.take_at_once()
    thread = started(wait)
    probe = FileTurn(path)
    wait_until(lambda: waits(probe))
    first.end()
    for _ in range(1000):
        again = FileTurn(path)
        assert not again.take_at_once()
        again.end()
    may_end.set()
    thread.join(30)
    again = FileTurn(path)
    assert again.take_at_once()
    again.end()


def waits(probe):
    """Whether somebody waits for the turn: the lock of those who wait is taken."""
    try:
        probe._lock(WAITING, fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    probe._unlock(WAITING)
    return False


def test_a_forked_process_does_not_have_the_turn_of_its_parent(opened):
    with database.write():
        database.execute(SITE, ("parent",))
        child = os.fork()
        if child == 0:
            os._exit(refused(opened))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert names() == ["parent"]


def refused(opened):
    """0 if a write is refused, in a database that is opened anew."""
    database.database.obj = None
    database.open(opened, timeout=0.1)
    try:
        add("child")
    except Unavailable:
        return 0
    return 1


def test_a_process_forked_during_a_write_does_not_keep_the_turn(opened):
    with database.write():
        child = os.fork()
        if child == 0:
            signal.pause()
    try:
        database.open(opened, timeout=0.1)
        add("a")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert names() == ["a"]


def test_who_only_reads_makes_no_file(opened, tmp_path):
    database.close()
    for file in tmp_path.glob("*-lock"):
        file.unlink()
    database.open(opened)
    assert names() == []
    assert not database.pending_migrations()
    assert list(tmp_path.glob("*-lock")) == []
    add("a")
    assert {file.stat().st_mode & 0o777 for file in tmp_path.glob("*-lock")} == {0o600}


def test_without_files_for_its_locks_sqlites_own_lock_is_enough(opened, tmp_path, holder):
    for file in tmp_path.glob("*-lock"):
        file.unlink()
        file.mkdir()
    database.open(opened, timeout=0.1)
    with pytest.raises(Unavailable):
        add("a")
    holder.kill()
    holder.wait()
    add("b")
    assert names() == ["b"]


def test_an_interrupted_wait_leaves_the_turn_to_the_next(opened, holder):
    class Stop(Exception):
        pass

    def stop(_number, _frame):
        raise Stop

    def interrupt():
        wait_until(lambda: queued() == 1)
        os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, stop)
    try:
        started(interrupt)
        with pytest.raises(Stop):
            add("a")
    finally:
        signal.signal(signal.SIGUSR1, before)
    holder.kill()
    holder.wait()
    add("b")
    assert names() == ["b"]
