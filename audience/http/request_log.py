"""Gives every request an id, and logs it in one line."""

import os
import re
import time

from flask import Flask, Response, g
from flask.globals import request_ctx

from audience import telemetry
from audience.http.services import settings
from audience.protocols import RateWindow

PROBE = ("/healthz", 200)  # asked again and again while a service starts, and by its container
CLIENT_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def register(app: Flask) -> None:
    app.before_request(begin)
    app.after_request(end)


def begin() -> None:
    """Begins the log entry of a request: id and time. Must run before all other hooks."""
    vars(g._get_current_object()).update(
        request_id=os.urandom(16).hex(),
        started=time.perf_counter(),
        site_id=None,
        key_id=None,
        rate_window=None,
    )


def rate_headers(window: RateWindow) -> dict[str, str]:
    """The headers that tell a client how many requests it has left."""
    return {
        "RateLimit-Limit": str(window.limit),
        "RateLimit-Remaining": str(window.remaining),
        "RateLimit-Reset": str(window.reset),
    }


def end(response: Response) -> Response:
    """Adds the request's id to the response, and logs the request."""
    sent, noted = request_ctx.request, vars(g._get_current_object())
    headers = response.headers
    headers.add("X-Request-Id", noted["request_id"])
    client_id = sent.environ.get("HTTP_X_REQUEST_ID", "")
    has_client_id = CLIENT_ID.fullmatch(client_id) is not None
    if has_client_id:
        headers.add("X-Client-Request-Id", client_id)
    if window := noted["rate_window"]:
        headers.extend(rate_headers(window))
    if not headers.getlist("Cache-Control"):  # which makes no exception, as `in` does
        headers.add("Cache-Control", "no-store")
    method = sent.method
    telemetry.record_request(
        telemetry.RequestRecord(
            request_id=noted["request_id"],
            method=method if method in METHODS else "OTHER",
            route=sent.url_rule.rule if sent.url_rule else None,
            status=response.status_code,
            ms=round((time.perf_counter() - noted["started"]) * 1000, 1),
            site_id=noted["site_id"],
            key_id=noted["key_id"],
            client_request_id=client_id if has_client_id and settings().log_client_request_ids else None,
        ),
        logged=(sent.path, response.status_code) != PROBE,
    )
    return response
