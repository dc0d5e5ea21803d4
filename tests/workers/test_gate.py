"""Threads that may wait for one thing."""

from audience.config import Settings
from workers.gate import CountingGate, gates
from workers.web.threads import Threads


def test_a_gate_has_its_places_and_takes_them_back():
    gate = CountingGate(2)
    assert [gate.enter() for _ in range(3)] == [True, True, False]
    gate.leave()
    assert [gate.enter() for _ in range(2)] == [True, False]


def places(gate):
    return sum(iter(gate.enter, False))


def test_of_a_web_process_some_threads_are_left_and_two_have_room_for_32_writers():
    threads = Settings().web_threads
    ask_dns, write, parse = map(places, gates(threads, Threads(threads)))
    assert ask_dns + write + parse < threads
    assert write >= 32 * 3 // 4  # chance may give one process three quarters
