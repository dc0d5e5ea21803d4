"""The network of a visitor, and how many sign-ups come from it. Beyond a limit, challenges get harder; beyond
a higher one, visitors wait.

Visitors are not counted behind a proxy that the settings do not name: they would share its network. Such a
proxy is a private address that forwards, or any that has forwarded many forms of late. Visitors of a sign-up
form that has an event are not counted either.
"""

from typing import NamedTuple

from flask import request

from audience import clock
from audience.access.audit_log import network_of
from audience.forms.forms import SignUpForm
from audience.http.access import client_address
from audience.http.services import services, settings
from audience.sign_ups import checks

EASY = {"form": "20/10 minutes", "form day": "100/day"}
HARD = {"form": "80/10 minutes", "form day": "400/day"}  # beyond those
STEPS = {"step": "100/10 minutes", "step day": "500/day"}
PRESSES = "5/hour"
FORWARDED = "21/hour"  # forms of one address that forwards: over 20 are of a proxy
SECOND_MS = 1_000
MAX_AGENT = 300  # characters


class NetworkCount(NamedTuple):
    """The result of counting a form. `wait` is in seconds, 0 for none.

    With `is_hard`, the visitor gets a hard challenge.
    """

    wait: int = 0
    is_hard: bool = False


def count_form(form: SignUpForm | None = None) -> NetworkCount:
    """Counts a form of the visitor's network; without `form`, a request for links."""
    hit = services().limiter.hit
    if _forwards():
        hit(FORWARDED, "forwarded", client_address())
    counted = _counted_network(form)
    over = [name for name, limit in EASY.items() if counted and hit(limit, name, counted)]
    return NetworkCount(max((hit(HARD[name], "hard", name, counted) for name in over), default=0), bool(over))


def count_step(form: SignUpForm | None = None) -> int:
    """Counts a step of the visitor's network. Returns the seconds to wait, 0 for none."""
    counted, hit = _counted_network(form), services().limiter.hit
    return max(hit(limit, name, counted) for name, limit in STEPS.items()) if counted else 0


def count_press(form: SignUpForm | None = None) -> int:
    """Counts a press of a step's button without the script. Returns the seconds to wait, 0 for none."""
    counted = _counted_network(form)
    return services().limiter.hit(PRESSES, "press", counted) if counted else 0


def network() -> str:
    """The visitor's network: the /24 of an IPv4 address, the /48 of an IPv6 address."""
    return network_of(client_address())


def country() -> str:
    """The visitor's country, by this instance's table; "" if unknown."""
    return checks.country(services().answers, client_address())


def agent() -> str:
    return request.user_agent.string[:MAX_AGENT]


def instant_after(wait: int) -> int:
    """The instant after `wait` seconds, in milliseconds."""
    return clock.now_ms() + wait * SECOND_MS


def is_proxied() -> bool:
    """Whether the connecting address forwarded over 20 forms in an hour. False if settings name a proxy."""
    is_unnamed = _forwards() and not settings().trusted_proxies
    return is_unnamed and services().limiter.is_spent(FORWARDED, "forwarded", client_address())


def _counted_network(form: SignUpForm | None) -> str:
    """The network under which a visitor is counted.

    "", so not counted, behind a proxy that no setting names, or while the form's network limits are lifted.
    """
    address = client_address()
    is_private_proxy = _forwards() and checks.is_private(address)
    is_uncounted = is_private_proxy or is_proxied() or (form is not None and form.has_event)
    return "" if is_uncounted else network_of(address)


def _forwards() -> bool:
    """Whether the connecting address sends `X-Forwarded-For`, but is no trusted proxy."""
    return "X-Forwarded-For" in request.headers and client_address() == request.remote_addr
