"""Turns exceptions into error responses, with the status of each. The path decides whether the response is
JSON or a page.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from flask import Flask, Response, current_app, jsonify, request
from werkzeug.exceptions import HTTPException

from audience import errors
from audience.errors import AudienceError, TooMany
from audience.http.pages import error_page
from schemas.base import errors as field_errors
from schemas.codes import Code, Sentence
from schemas.values import FormError

log = logging.getLogger(__name__)

STATUS: dict[type[AudienceError], int] = {
    errors.NotUnderstood: 400,
    errors.Unauthorized: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.TooLate: 408,
    errors.UnderWay: 409,
    errors.PreconditionFailed: 412,
    errors.TooLarge: 413,
    errors.NotJson: 415,
    errors.Compressed: 415,
    errors.Refused: 422,
    errors.TooMany: 429,
    errors.ServiceUnavailable: 503,
}
MEANING = {
    400: "The body is not a JSON object, or the request names two sites, or a request that writes names two "
    "subscribers.",
    401: "Wrong or missing keys, or a site that the key cannot access.",
    403: "The key's scope does not allow this.",
    404: "No such path, or no such record on this site.",
    405: "The path does not allow this method; `Allow` lists the allowed methods.",
    408: "The body did not arrive in time.",
    409: "An upload with the same Idempotency-Key is under way; `Retry-After` is the time to wait.",
    412: "The record has changed: its `ETag` is not the one in `If-Match`.",
    413: "The body is too large.",
    415: "The body is a form, or compressed.",
    422: "A value is missing or wrong; `errors` lists each such value. Nothing was written.",
    429: "The request is over a rate limit; `Retry-After` is the time to wait.",
    500: "An unexpected error of the service.",
    503: "The database is unavailable, the service busy or the disk full; `Retry-After` is the time to wait.",
}
MEANS_NOTHING_WRITTEN = (412, 422, 503)
FORM_ERROR = "Validation failed: correct what `errors` lists, and send the whole request again."
UNAVAILABLE = Sentence(
    Code.DATABASE_UNAVAILABLE, "The database is unavailable or busy: send the request again in a moment."
)
UNFINISHED = Sentence(
    Code.OUTCOME_UNKNOWN,
    "The connection to the database was lost during the commit, so the change may have been made. Check "
    "before you send the request again.",
)
FAULTY_DISK = Sentence(
    Code.DISK_FAULT, "The service's disk is full or faulty: send the request again in a while."
)
RETRY_AFTER_SECONDS = 5  # of every 503
UNEXPECTED = Sentence(
    Code.UNEXPECTED_ERROR,
    "Unexpected error: send the request again; if it fails again, give the operator the X-Request-Id.",
)
HTTP = {
    404: Sentence(
        Code.PATH_NOT_FOUND, "Not found: there is nothing at this path; /docs/api lists the endpoints."
    ),
    405: Sentence(
        Code.METHOD_NOT_ALLOWED, "This path does not allow this method: use one that the header Allow lists."
    ),
}
TWICE = Sentence(Code.PATH_NOT_FOUND, "Not found: this path has /api/v1 twice: leave one of them out.")
NO_PAGE = Sentence(Code.PATH_NOT_FOUND, "Not found: nothing has this address; check its spelling.")
OTHER_HTTP = Sentence(
    Code.BAD_REQUEST, "The server could not read this request: correct it and send it again."
)
JSON_ROOTS = frozenset({"api", "metrics", "readyz"})


@dataclass(frozen=True)
class ErrorResponse:
    """The response to an error. `fields` are the refused values, `found` further keys of the body.

    `outcome_known` is false if the request may or may not have been carried out.
    """

    status: int
    message: str
    code: Code
    fields: Iterable[Any] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    found: Mapping[str, Any] = field(default_factory=dict)
    outcome_known: bool = True


def domain_error(error: AudienceError) -> ErrorResponse:
    headers = {}
    if isinstance(error, TooMany | errors.UnderWay | errors.ServiceUnavailable) and error.retry_after:
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, errors.Unauthorized):
        headers["WWW-Authenticate"] = 'Basic realm="audience", charset="UTF-8"'
    if isinstance(error, errors.Compressed):
        headers["Accept-Encoding"] = "identity"
    return ErrorResponse(STATUS[type(error)], error.message, error.code, error.errors, headers, error.found)


def form_error(error: FormError) -> ErrorResponse:
    return ErrorResponse(422, FORM_ERROR, error.code, error.problems, found=error.found)


def http_error(error: HTTPException) -> ErrorResponse:
    status = error.code or 500
    allow = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
    message = HTTP.get(status, UNEXPECTED if status >= 500 else OTHER_HTTP)
    if status == 404 and not _is_json():
        message = NO_PAGE
    elif request.path.startswith("/api/v1/api/v1"):
        message = TWICE
    return ErrorResponse(status, message, message.code, headers={"Allow": allow} if allow else {})


def _is_json() -> bool:
    """Whether the request is answered in JSON, even with an error."""
    return request.path.split("/")[1] in JSON_ROOTS


def unavailable_response(_: Exception) -> ErrorResponse:
    return ErrorResponse(503, UNAVAILABLE, UNAVAILABLE.code)


def unfinished_response(_: Exception) -> ErrorResponse:
    return ErrorResponse(503, UNFINISHED, UNFINISHED.code, outcome_known=False)


def faulty_disk(_: Exception) -> ErrorResponse:
    return ErrorResponse(503, FAULTY_DISK, FAULTY_DISK.code)


def system_error(error: OSError) -> ErrorResponse:
    return faulty_disk(error) if errors.is_disk_fault(error) else unexpected_response(error)


def unexpected_response(error: Exception) -> ErrorResponse:
    """Logs where an exception was raised. The response does not mention it."""
    log.error("unexpected: %s", errors.where(error))
    return ErrorResponse(500, UNEXPECTED, UNEXPECTED.code)


Handler = Callable[[Any], ErrorResponse]
ErrorPage = Callable[[ErrorResponse], Response]
HANDLERS: dict[type[Exception], Handler] = {
    AudienceError: domain_error,
    FormError: form_error,
    HTTPException: http_error,
    OSError: system_error,
    Exception: unexpected_response,
}


def register(
    app: Flask,
    storage_handlers: Mapping[Any, Handler],
    error_pages: Mapping[str, ErrorPage],
) -> None:
    """Registers a handler for every exception. `storage_handlers` are the handlers of the database's
    exceptions.

    `error_pages` are the functions that show an error as a page, by name of the blueprint.
    """
    for exception, handler in {**HANDLERS, **storage_handlers}.items():
        app.register_error_handler(exception, partial(respond, handler, error_pages))


def respond(handler: Handler, error_pages: Mapping[str, ErrorPage], exception: Exception) -> Response:
    """The response to an exception: JSON for API and monitoring, else the blueprint's or a plain page."""
    error = handler(exception)
    if _is_json():
        response = jsonify(body(error))
    elif show := error_pages.get(request.blueprints[-1] if request.blueprints else ""):
        response = show(error)
    else:
        response = error_page(error.status, error.message)
    response.status_code = error.status
    if error.status == 503:
        response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    response.headers.update(error.headers)
    return response


def body(error: ErrorResponse) -> dict[str, Any]:
    """The JSON body of an error."""
    listed = field_errors(error.fields)
    return (
        {"error": sentence(error), "code": error.code}
        | ({"errors": listed} if listed else {})
        | dict(error.found)
    )


def sentence(error: ErrorResponse) -> str:
    """The message of an error. If a writing request has certainly written nothing, the message says so."""
    view = current_app.view_functions.get(request.endpoint or "")
    if (
        not error.outcome_known
        or error.status not in MEANS_NOTHING_WRITTEN
        or vars(view or object).get("scope") != "full"
    ):
        return error.message
    return f"{error.message.removesuffix('.')}; nothing was written."
