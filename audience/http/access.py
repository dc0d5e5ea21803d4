"""HTTP Basic authentication. Attempts are throttled after failures (docs/contract.md, Every request)."""

import ipaddress
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from flask import Flask, Response, after_this_request, request
from flask_httpauth import HTTPBasicAuth

from audience.access import keys
from audience.access.keys import AuthenticatedKey
from audience.errors import TooMany, Unauthorized
from audience.http.normalize import CREDENTIALS
from audience.http.services import services, settings
from audience.setting_values import without_mapping
from schemas.codes import Code, Sentence

auth: Any = HTTPBasicAuth()

THROTTLED = Sentence(
    Code.TOO_MANY_FAILURES,
    "Rate limit: too many failed attempts; wait the seconds in Retry-After, and check the keys.",
)
MAX_KEY_LENGTH = 64
MAX_PROXIES = 32  # between a client and this server
MAX_ADDRESS_LENGTH = 64  # of an IPv6 address with its zone
PUBLIC = "public"

View = Callable[..., Any]


@auth.verify_password  # type: ignore[untyped-decorator]
def verify(publishable_key: str, secret_key: str) -> AuthenticatedKey | None:
    """The API key of a request; None for a wrong one, which counts as a failure.

    Raises `TooMany` after too many failures, but never for a right secret.
    """
    key = keys.authenticate(publishable_key, secret_key)
    if key is None:
        _throttle(publishable_key[:MAX_KEY_LENGTH])
    return key


def authenticate() -> AuthenticatedKey:
    """The API key of this request. Raises `Unauthorized`, or `TooMany` after too many failures."""
    key: AuthenticatedKey | None = auth.authenticate(request.environ[CREDENTIALS], None)
    if key is None:
        raise Unauthorized(keys.UNAUTHORIZED)
    return key


def note_use(key: AuthenticatedKey) -> None:
    """Notes the use of an API key once the answer is sent, which need not wait for the database."""
    if not keys.is_noted(key):
        after_this_request(partial(_note_use_later, key))


def _note_use_later(key: AuthenticatedKey, response: Response) -> Response:
    response.call_on_close(partial(keys.note_use, key))
    return response


def _throttle(publishable_key: str) -> None:
    """Counts a failure for the client's network and, below that limit, for its key. Raises `TooMany`.

    Above the limit, keys are not counted, so that guessed ones use no memory.
    """
    limit, address, hit = (
        settings().auth_failures,
        throttled_network(client_address()),
        services().limiter.hit,
    )
    wait = hit(limit, "auth", address) or hit(limit, "auth", address, publishable_key)
    if wait:
        raise TooMany(THROTTLED, wait)


def client_address() -> str:
    """The IP address of the client; `X-Forwarded-For` counts only from trusted proxies."""
    forwarded = request.headers.get("X-Forwarded-For", "")
    return last_untrusted(forwarded, request.remote_addr or "", settings().trusted_proxies)


@lru_cache(maxsize=1024)
def throttled_network(address: str) -> str:
    """The network for which failures are counted: an IPv4 address, or the /64 of an IPv6 address.

    Text that is no address is returned as it is.
    """
    try:
        parsed = ipaddress.ip_address(without_mapping(address))
    except ValueError:
        return address
    return str(parsed if parsed.version == 4 else ipaddress.IPv6Network((int(parsed), 64), strict=False))


def last_untrusted(forwarded: str, address: str, proxies: tuple[str, ...]) -> str:
    """The client's address: the last one on a request's way that is no trusted proxy.

    `address` is that of the connection, `forwarded` the header `X-Forwarded-For`, of which at most
    `MAX_PROXIES` addresses count.
    """
    hops = forwarded.rsplit(",", MAX_PROXIES)
    while hops and _is_trusted(address, proxies):
        address = without_mapping(hops.pop().strip()[:MAX_ADDRESS_LENGTH]) or address
    return address


@lru_cache(maxsize=1024)
def _is_trusted(address: str, proxies: tuple[str, ...]) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(parsed in ipaddress.ip_network(proxy, strict=False) for proxy in proxies)


def public(view: View) -> View:
    """Declares that a view needs no API key."""
    vars(view)["scope"] = PUBLIC
    return view


def check_scopes(app: Flask) -> None:
    """Raises `RuntimeError` for a route without a scope or, in the console, a role."""
    for rule in app.url_map.iter_rules():
        declared = "role" if rule.rule.startswith("/console") else "scope"
        if not hasattr(app.view_functions[rule.endpoint], declared):
            raise RuntimeError(f"{rule.rule} declares no {declared}")
