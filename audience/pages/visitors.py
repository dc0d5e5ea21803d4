"""The network of a visitor, and how many sign-ups come from it. Beyond a limit, challenges get harder; beyond
a higher one, visitors wait.

Behind a proxy that the settings do not name, all visitors would share its network: they are not counted.
"""

import ipaddress
from typing import NamedTuple

from flask import request

from audience import clock
from audience.access.audit_log import network_of
from audience.errors import Refused, ServiceUnavailable
from audience.http.access import client_address
from audience.http.services import services

EASY = {"form": "20/10 minutes", "form day": "100/day"}
HARD = {"form": "80/10 minutes", "form day": "400/day"}  # beyond those
STEPS = {"step": "100/10 minutes", "step day": "500/day"}
PRESSES = "5/hour"
SECOND_MS = 1_000
MAX_AGENT = 300  # characters


class NetworkCount(NamedTuple):
    """The result of counting a form. `wait` is in seconds, 0 if the visitor need not wait.

    With `is_hard`, the visitor gets a hard challenge.
    """

    wait: int = 0
    is_hard: bool = False


def count_form() -> NetworkCount:
    counted, hit = _counted(), services().limiter.hit
    over = [name for name, limit in EASY.items() if counted and hit(limit, name, counted)]
    return NetworkCount(max((hit(HARD[name], "hard", name, counted) for name in over), default=0), bool(over))


def count_step() -> int:
    """Counts a step of the visitor's network. Returns the seconds to wait, 0 if the visitor need not wait."""
    counted, hit = _counted(), services().limiter.hit
    return max(hit(limit, name, counted) for name, limit in STEPS.items()) if counted else 0


def presses_too_often() -> bool:
    """Counts a press of the button without the script. Returns whether the network presses more often than
    people.
    """
    counted = _counted()
    return bool(counted and services().limiter.hit(PRESSES, "press", counted))


def network() -> str:
    """The visitor's network: the IP address, shortened."""
    return network_of(client_address())


def country() -> str:
    """The visitor's country, by the table of this instance; empty if it is unknown."""
    address = client_address()
    try:
        return "" if _is_private(address) else services().answers.sources.country_of(address) or ""
    except (Refused, ServiceUnavailable):
        return ""


def agent() -> str:
    return request.user_agent.string[:MAX_AGENT]


def until(wait: int) -> int:
    return clock.now_ms() + wait * SECOND_MS


def _counted() -> str:
    """The network under which a visitor is counted; empty behind a proxy that the settings do not name."""
    address = client_address()
    is_forwarded = "X-Forwarded-For" in request.headers and address == request.remote_addr
    return "" if is_forwarded and _is_private(address) else network_of(address)


def _is_private(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_private
    except ValueError:
        return False
