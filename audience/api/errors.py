"""One table from error to status, and the one shape of an error's body (contract section 1)."""

import logging
from collections.abc import Iterable
from typing import Any

from flask import Flask, Response, jsonify
from werkzeug.exceptions import HTTPException

from audience import errors
from audience.errors import AudienceError, TooMany
from schemas.wire import FormError
from schemas.wire import errors as field_errors

log = logging.getLogger(__name__)

STATUS: dict[type[AudienceError], int] = {
    errors.NotUnderstood: 400,
    errors.Unauthorized: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.TooLarge: 413,
    errors.NotJson: 415,
    errors.Refused: 422,
    errors.TooMany: 429,
    errors.Away: 503,
}
MEANING = {
    400: "The body is not a JSON object, or the request names two sites.",
    401: "Wrong or missing keys, or a site that they do not reach.",
    403: "The key's scope does not allow this.",
    404: "No such path, or no such thing on this site.",
    405: "The path takes other methods; `Allow` names them.",
    413: "The body is too large.",
    415: "The body is a form.",
    422: "A value is missing or wrong; `errors` says which. Nothing was written.",
    429: "Over a rate limit; `Retry-After` says how long to wait.",
    500: "Something broke on our side.",
    503: "The database is away or busy. Nothing was written.",
}
REFUSED = (
    "Validation failed: correct what `errors` lists, and send the whole request again; nothing was written."
)
AWAY = "The database is away or busy: nothing was written; send the request again in a moment."
BROKEN = (
    "Something broke on our side: send the request again, and give the operator the X-Request-Id if it stays."
)
HTTP = {
    404: "Not found: there is nothing at this path; the README lists the endpoints.",
    405: "This path takes other methods: the header Allow names them.",
}


def register(app: Flask, away: Iterable[type[Exception]]) -> None:
    """Handlers for all that can be raised; `away` are the exceptions of parts that are not there now."""
    app.register_error_handler(AudienceError, refused)
    app.register_error_handler(FormError, misformed)
    app.register_error_handler(HTTPException, of_http)
    app.register_error_handler(Exception, broken)
    for exception in away:
        app.register_error_handler(exception, lambda _: (jsonify(error=AWAY), 503))


def refused(error: AudienceError) -> Response:
    response = jsonify(body(error.message, error.errors))
    response.status_code = STATUS[type(error)]
    if isinstance(error, TooMany):
        response.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, errors.Unauthorized):
        response.headers["WWW-Authenticate"] = 'Basic realm="audience", charset="UTF-8"'
    return response


def misformed(error: FormError) -> tuple[Response, int]:
    return jsonify(body(REFUSED, error.problems)), 422


def of_http(error: HTTPException) -> Response:
    status = error.code or 500
    response = jsonify(
        body(HTTP.get(status, BROKEN if status >= 500 else "The server did not understand this."))
    )
    response.status_code = status
    allow = dict(error.get_headers()).get("Allow")
    if allow:
        response.headers["Allow"] = allow
    return response


def broken(error: Exception) -> tuple[Response, int]:
    log.error("unexpected: %s", errors.where(error))
    return jsonify(body(BROKEN)), 500


def body(message: str, fields: Iterable[Any] = ()) -> dict[str, Any]:
    listed = field_errors(fields)
    return {"error": message, "errors": listed} if listed else {"error": message}
