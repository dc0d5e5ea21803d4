"""Looking up a host within a time."""

import socket
import threading

import pytest

from audience.deliveries import names
from audience.deliveries.names import NameUnknown, look_up

FOREVER = 60.0


@pytest.fixture
def silence(monkeypatch):
    """A system whose name service says nothing until it is set."""
    told = threading.Event()

    def waits(*arguments, **keywords):
        told.wait()
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 0))]

    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", waits)
        yield told
        told.set()
        for thread in threading.enumerate():
            if thread.name == "look-up":
                thread.join()


def test_hosts_of_the_machine_are_found():
    assert "127.0.0.1" in look_up("localhost", FOREVER)
    assert look_up("192.0.2.7", FOREVER) == ["192.0.2.7"]


@pytest.mark.parametrize("host", ["a..example", "a" * 64 + ".example", "nowhere.invalid", ".", "%31"])
def test_what_is_no_name_is_unknown(host):
    with pytest.raises(NameUnknown):
        look_up(host, FOREVER)


def test_a_name_service_that_hangs_is_left_alone(silence):
    with pytest.raises(NameUnknown):
        look_up("a.example", 0.01)


def test_those_who_were_left_alone_are_bounded(silence):
    for _ in range(names.MAX_LOOK_UPS):
        with pytest.raises(NameUnknown):
            look_up("a.example", 0)
    with pytest.raises(NameUnknown):
        look_up("a.example", FOREVER * 60)  # at once
    assert sum(thread.name == "look-up" for thread in threading.enumerate()) == names.MAX_LOOK_UPS
    silence.set()
    for thread in threading.enumerate():
        if thread.name == "look-up":
            thread.join()
    assert look_up("a.example", FOREVER) == ["192.0.2.1"]
