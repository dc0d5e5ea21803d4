"""/healthz, /readyz and /metrics, for monitoring: outside /api, without keys."""

import hmac
import ipaddress
from typing import Any

from flask import Blueprint, Response, request

from audience import telemetry
from audience.errors import Forbidden
from audience.http.access import public
from audience.http.services import services, settings
from audience.operations import gauges, probes
from schemas.health import readiness

blueprint = Blueprint("health", __name__)

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
FORBIDDEN = (
    "Forbidden: send the request from the service's own machine, or send the metrics token as a bearer token."
)
PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")


@blueprint.get("/healthz")
@public
def process() -> dict[str, str]:
    """Whether the process answers"""
    return {"status": "ok"}


@blueprint.get("/readyz")
@public
def ready() -> tuple[dict[str, Any], int]:
    """Whether the service can handle requests and imports"""
    outcome = probes.readiness(settings(), services().processes, services().answers)
    body = readiness(outcome.problems, outcome.warnings)
    return body, 503 if "error" in body else 200


@blueprint.get("/metrics")
@public
def metrics() -> Response:
    """Counts and times, for Prometheus"""
    if not _is_allowed(settings().metrics_token):
        raise Forbidden(FORBIDDEN)
    return Response(telemetry.render(_numbers()), content_type=PROMETHEUS)


def _numbers() -> dict[str, float]:
    age = services().processes.worker_age()
    return gauges.read(settings()) | ({} if age is None else {"worker_age_seconds": age})


def _is_allowed(token: str) -> bool:
    """Whether the client may read the metrics: it must send the `token`, if one is set.

    Without a token, the client must be on this machine, with no proxy between.
    """
    if token:
        sent = request.authorization
        return sent is not None and hmac.compare_digest((sent.token or "").encode(), token.encode())
    return _is_loopback(request.remote_addr or "") and not any(
        name in request.headers for name in PROXY_HEADERS
    )


def _is_loopback(address: str) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return (getattr(parsed, "ipv4_mapped", None) or parsed).is_loopback
