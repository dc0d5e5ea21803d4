"""Gives every request an id, and logs it in one line."""

import time
import uuid

from flask import Flask, Response, g, request

from audience import telemetry

PROBE = ("/healthz", 200)  # asked again and again while a service starts, and by its container
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def register(app: Flask) -> None:
    app.before_request(begin)
    app.after_request(end)


def begin() -> None:
    g.request_id = uuid.uuid4().hex
    g.started = time.perf_counter()


def end(response: Response) -> Response:
    response.headers["X-Request-Id"] = g.request_id
    response.headers.setdefault("Cache-Control", "no-store")
    telemetry.record_request(
        telemetry.RequestRecord(
            request_id=g.request_id,
            method=request.method if request.method in METHODS else "OTHER",
            route=request.url_rule.rule if request.url_rule else None,
            status=response.status_code,
            ms=round((time.perf_counter() - g.started) * 1000, 1),
            site_id=g.get("site_id"),
            key_id=g.get("key_id"),
        ),
        logged=(request.path, response.status_code) != PROBE,
    )
    return response
