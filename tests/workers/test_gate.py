"""Threads that may wait for one thing."""

from workers.gate import CountingGate


def test_a_gate_has_its_places_and_takes_them_back():
    gate = CountingGate(2)
    assert [gate.enter() for _ in range(3)] == [True, True, False]
    gate.leave()
    assert [gate.enter() for _ in range(2)] == [True, False]
