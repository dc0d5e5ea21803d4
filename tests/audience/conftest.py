"""Fixtures of the domain's tests."""

import pytest

from audience import clock
from audience.access import sites
from storage import leases
from storage.changes import changed_subscribers
from tests.receiver import receiving


@pytest.fixture
def receiver():
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def site(app):
    return sites.create("Example")


@pytest.fixture
def folder(app):
    return app.extensions["audience"].settings.instance


@pytest.fixture
def later(monkeypatch):
    """Sets the clock forward, by milliseconds. Repeated calls add up."""
    passed, now_ms = [0], clock.now_ms
    monkeypatch.setattr(clock, "now_ms", lambda: now_ms() + sum(passed))
    return passed.append


@pytest.fixture
def tick(monkeypatch):
    """Advances the clocks, by default by ten minutes."""
    now, uptime = clock.now_ms(), clock.uptime_ms()
    monkeypatch.setattr(leases, "now", lambda uptime: uptime)

    def move(milliseconds=600_000):
        nonlocal now, uptime
        now, uptime = now + milliseconds, uptime + milliseconds
        monkeypatch.setattr(clock, "now_ms", lambda: now)
        monkeypatch.setattr(clock, "uptime_ms", lambda: uptime)

    move(0)
    return move


@pytest.fixture
def small_parts(monkeypatch):
    """Makes the index of changed subscribers so small that each test has several parts."""
    monkeypatch.setattr(changed_subscribers, "PART", 3)
