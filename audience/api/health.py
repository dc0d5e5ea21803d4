"""How the service is: for whoever watches it. Outside /api, and without keys."""

import hmac
import ipaddress
from typing import Any

from flask import Blueprint, Response, request

from audience import health, journal
from audience.api.endpoint import public
from audience.api.wiring import settings, wiring
from audience.errors import Forbidden
from schemas import health as wire

blueprint = Blueprint("health", __name__)

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
CLOSED = "Forbidden: ask from the service's own machine, or send the metrics token as a bearer token."
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")


@blueprint.get("/healthz")
@public
def process() -> dict[str, str]:
    """Whether the process answers"""
    return {"status": "ok"}


@blueprint.get("/readyz")
@public
def ready() -> tuple[dict[str, Any], int]:
    """Whether the service can do its work"""
    problems = health.problems(settings(), wiring().vitals)
    return wire.readiness(problems), 503 if any(problems.values()) else 200


@blueprint.get("/metrics")
@public
def metrics() -> Response:
    """Counts and times, for Prometheus"""
    if not _may_ask(settings().metrics_token):
        raise Forbidden(CLOSED)
    return Response(journal.page(health.gauges(wiring().vitals)), content_type=PROMETHEUS)


def _may_ask(token: str) -> bool:
    """With a token, its bearer; without, the machine itself, but no proxy on it."""
    if token:
        given = request.authorization
        return given is not None and hmac.compare_digest((given.token or "").encode(), token.encode())
    return _is_loopback(request.remote_addr or "") and not any(name in request.headers for name in FORWARDED)


def _is_loopback(address: str) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return (getattr(parsed, "ipv4_mapped", None) or parsed).is_loopback
