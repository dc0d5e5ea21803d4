"""The threads that answer requests: few, unless those at work are slow or wait for others."""

import asyncio
import threading

import pytest

from tests.service import PATIENCE_SECONDS
from workers.gate import gates
from workers.web import threads
from workers.web.threads import AT_ONCE, Threads

MOST = 8


@pytest.fixture
def patient(monkeypatch):
    """Nobody is let in because a task is overdue."""
    monkeypatch.setattr(threads, "PATIENCE_SECONDS", 2 * PATIENCE_SECONDS)


class Waits:
    """What threads do until `end` is set; `begun` counts them."""

    def __init__(self, gate=None):
        self.begun, self.end, self.gate = threading.Semaphore(0), threading.Event(), gate

    def __call__(self):
        if self.gate:
            assert self.gate.enter()
        self.begun.release()
        assert self.end.wait(PATIENCE_SECONDS)
        if self.gate:
            self.gate.leave()

    def have_begun(self, count):
        """Whether so many more have; waits for them."""
        return all(self.begun.acquire(timeout=PATIENCE_SECONDS) for _ in range(count))


def test_tasks_are_done_in_order_by_few_threads(patient):
    pool, done = Threads(MOST), []

    def note(number):
        done.append((number, threading.get_ident()))
        return number

    async def ask():
        return await asyncio.gather(*(pool.run(note, number) for number in range(500)))

    assert asyncio.run(ask()) == list(range(500))
    assert len({thread for _, thread in done}) <= AT_ONCE
    assert all(abs(at - number) < MOST for at, (number, _) in enumerate(done))


def test_while_the_others_are_slow_one_more_is_let_in_and_no_more_than_may_be():
    pool = Threads(MOST)
    slow = Waits()

    async def ask():
        tasks = [pool.run(slow) for _ in range(MOST - 1)]
        assert await asyncio.wait_for(pool.run(str, 1), PATIENCE_SECONDS) == "1"
        tasks += [pool.run(slow) for _ in range(MOST)]
        assert await asyncio.to_thread(slow.have_begun, MOST)
        assert threading.active_count() <= before + MOST + 1  # and that of `to_thread`
        slow.end.set()
        await asyncio.gather(*tasks)

    before = threading.active_count()
    asyncio.run(ask())


@pytest.mark.parametrize("kind", ["ask_dns", "write"])
def test_who_waits_for_others_keeps_nobody_from_work(patient, kind):
    pool = Threads(MOST)
    waiting = Waits(getattr(gates(2 * MOST, pool), kind))

    async def ask():
        tasks = [pool.run(waiting) for _ in range(AT_ONCE + 2)]
        assert await asyncio.wait_for(pool.run(str, 1), PATIENCE_SECONDS) == "1"
        waiting.end.set()
        await asyncio.gather(*tasks)

    asyncio.run(ask())


def test_who_has_waited_counts_again(patient):
    pool = Threads(MOST)
    waiting, working = Waits(gates(2 * MOST, pool).write), Waits()

    async def ask():
        waiting.end.set()
        await asyncio.gather(*(pool.run(waiting) for _ in range(20)))
        tasks = [pool.run(working) for _ in range(MOST)]
        assert await asyncio.to_thread(working.have_begun, AT_ONCE)
        await asyncio.sleep(0.05)
        assert not working.begun.acquire(blocking=False)
        working.end.set()
        await asyncio.gather(*tasks)

    asyncio.run(ask())


def test_an_error_is_raised_where_the_task_was_asked_for_and_others_go_on():
    pool = Threads(MOST)

    async def ask():
        with pytest.raises(ValueError, match="invalid literal"):
            await pool.run(int, "x")
        assert await pool.run(int, "1") == 1

    asyncio.run(ask())


def test_of_who_has_left_nothing_is_begun(patient):
    pool, working, done = Threads(MOST), Waits(), list[int]()

    async def ask():
        tasks = [pool.run(working) for _ in range(AT_ONCE)]
        pool.run(done.append, 1).cancel()
        last = pool.run(done.append, 2)
        working.end.set()
        await asyncio.gather(*tasks, last)

    asyncio.run(ask())
    assert done == [2]
