"""Hosts of a network of their own: each a network namespace, at the other end of a cable from this one."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

NETWORK = "10.213"  # of private addresses; the tests' own: a cable has 10.213.N.1 at this end


@dataclass(frozen=True)
class Cable:
    """A cable between this namespace and that of a host."""

    number: int

    @property
    def host(self) -> str:
        return f"audience-host{self.number}"

    @property
    def near(self) -> str:
        return f"{NETWORK}.{self.number}.1"

    @property
    def far(self) -> str:
        return f"{NETWORK}.{self.number}.2"

    @property
    def inside(self) -> list[str]:
        """The words before a command that run it on the host."""
        return ["ip", "netns", "exec", self.host]

    def lay(self) -> None:
        near, far = f"aud{self.number}n", f"aud{self.number}f"
        ip("netns", "add", self.host)
        ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", self.host)
        ip("address", "add", f"{self.near}/30", "dev", near)
        ip("link", "set", near, "up")
        for words in (["address", "add", f"{self.far}/30", "dev", far], ["link", "set", far, "up"]):
            ip("-n", self.host, *words)
        ip("-n", self.host, "link", "set", "lo", "up")

    def pull(self) -> None:
        """Cuts the connection, without telling either end."""
        ip("-n", self.host, "link", "set", f"aud{self.number}f", "down")

    def plug_in(self) -> None:
        ip("-n", self.host, "link", "set", f"aud{self.number}f", "up")

    def remove(self) -> None:
        ip("netns", "delete", self.host, check=False)


def ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, stderr=subprocess.DEVNULL)


@contextmanager
def cables(number: int) -> Iterator[list[Cable]]:
    """Lays cables to so many hosts, each with its own."""
    if os.getuid() or not shutil.which("ip"):
        pytest.skip("needs root and the Debian package iproute2")
    laid = [Cable(each) for each in range(1, number + 1)]
    try:
        try:
            for cable in laid:
                cable.remove()
                cable.lay()
        except subprocess.CalledProcessError:
            pytest.skip("needs the right to make network namespaces")
        yield laid
    finally:
        for cable in laid:
            cable.remove()
