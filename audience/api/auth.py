"""HTTP Basic authentication, throttled when it fails (contract section 1)."""

import ipaddress
from functools import lru_cache
from typing import Any

from flask import request
from flask_httpauth import HTTPBasicAuth

from audience import sites
from audience.api.wiring import settings, wiring
from audience.errors import TooMany, Unauthorized
from audience.sites import Key

auth: Any = HTTPBasicAuth()

THROTTLED = "Rate limit: too many failed attempts; wait for the seconds in Retry-After, and check the keys."
LONGEST_KEY = 64


@auth.verify_password  # type: ignore[untyped-decorator]
def verify(publishable_key: str, secret_key: str) -> Key | None:
    """The key of a request. A right secret is never throttled by somebody's failures."""
    key = sites.authenticate(publishable_key, secret_key)
    if key is None:
        _throttle(publishable_key[:LONGEST_KEY])
    return key


@auth.error_handler  # type: ignore[untyped-decorator]
def unauthorized(_: int) -> None:
    raise Unauthorized(sites.UNAUTHORIZED)


def _throttle(publishable_key: str) -> None:
    """Who is over the limit by address adds no further key to what is counted."""
    limit, address, hit = settings().auth_failures, client_address(), wiring().limiter.hit
    wait = hit(limit, "auth", address) or hit(limit, "auth", address, publishable_key)
    if wait:
        raise TooMany(THROTTLED, wait)


def client_address() -> str:
    """Where a request comes from; `X-Forwarded-For` counts only from proxies that are trusted."""
    address = request.remote_addr or ""
    forwarded = request.headers.get("X-Forwarded-For", "").split(",")
    while forwarded and _is_trusted(address, settings().trusted_proxies):
        address = forwarded.pop().strip() or address
    return address


@lru_cache(maxsize=1024)
def _is_trusted(address: str, proxies: tuple[str, ...]) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(parsed in ipaddress.ip_network(proxy, strict=False) for proxy in proxies)
