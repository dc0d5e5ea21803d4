"""The lock of an instance folder: who only looks at it stands in nobody's way."""

import fcntl

import pytest

from audience.config import Settings
from workers import instance_lock
from workers.instance_lock import CannotServe, as_served, hold_instance_lock
from workers.processes import Processes


@pytest.fixture
def settings(tmp_path):
    return Settings(instance=tmp_path, port=8123)


@pytest.fixture
def look(settings):
    """A command that is just looking where the service is, until it is closed."""
    with hold_instance_lock(settings.instance):
        pass
    with open(settings.instance / instance_lock.FILE, encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield file


def test_a_service_that_starts_waits_for_who_looks(settings, look, monkeypatch):
    monkeypatch.setattr("workers.instance_lock.time.sleep", lambda _: look.close())
    with hold_instance_lock(settings.instance, settings):
        assert as_served(Settings(instance=settings.instance)).port == 8123


def test_it_does_not_wait_for_ever(settings, look, monkeypatch):
    monkeypatch.setattr("workers.instance_lock.time.sleep", lambda _: None)
    with pytest.raises(CannotServe), hold_instance_lock(settings.instance):
        pass


def test_it_does_not_wait_for_another_service(settings, monkeypatch):
    monkeypatch.setattr("workers.instance_lock.time.sleep", pytest.fail)
    with (
        hold_instance_lock(settings.instance),
        pytest.raises(CannotServe, match="another serve"),
        hold_instance_lock(settings.instance),
    ):
        pass


def test_who_looks_is_no_service(settings, look):
    assert not Processes(settings).serving()


def test_to_look_makes_no_file(settings):
    assert not Processes(settings).serving()
    assert list(settings.instance.iterdir()) == []


def test_a_service_serves(settings):
    with hold_instance_lock(settings.instance):
        assert Processes(settings).serving()
