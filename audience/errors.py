"""Errors of the domain; `audience.http.errors` maps each to a status."""

import errno
import traceback
from collections.abc import Callable, Mapping, Sequence

from schemas.codes import Code, code_of
from schemas.values import FieldError, error_names

Checks = Mapping[str, Callable[[], object]]  # by field: each raises `Refused` for a wrong value
DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS})


class AudienceError(Exception):
    """An error with a sentence for the client. `message` repeats nothing of the request; `found` has values
    to show, by name. `code` is the message's code or, without one, that of the class.
    """

    code = Code.VALIDATION_FAILED

    def __init__(self, message: str, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.code = code_of(message, type(self).code)
        self.errors = tuple(errors)
        self.found = error_names(self.errors)


class NotUnderstood(AudienceError):
    """The request contradicts itself, or is not JSON."""

    code = Code.BAD_REQUEST


class Unauthorized(AudienceError):
    """The key or the site is missing or wrong, or the key lacks access: the message hides which."""

    code = Code.UNAUTHORIZED


class Forbidden(AudienceError):
    """The key is valid, but lacks the required scope."""

    code = Code.FORBIDDEN


class NotFound(AudienceError):
    """The site has no such record."""

    code = Code.NOT_FOUND


class TooLarge(AudienceError):
    """The body is over the size limit."""

    code = Code.BODY_TOO_LARGE

    def __init__(self) -> None:
        super().__init__("The body is too large: split it into several requests.")


class TooLate(AudienceError):
    """The body did not arrive in time."""

    code = Code.BODY_TIMEOUT

    def __init__(self) -> None:
        super().__init__("Timeout: the body did not arrive in time; send the request again.")


class NotJson(AudienceError):
    """The body is a form or multipart, not JSON."""

    code = Code.UNSUPPORTED_MEDIA_TYPE


class Compressed(AudienceError):
    """The body is compressed."""

    code = Code.COMPRESSED_BODY

    def __init__(self) -> None:
        super().__init__("The body is compressed: send it as it is, without Content-Encoding.")


class Refused(AudienceError):
    """A value is wrong; nothing was written."""


class UnderWay(AudienceError):
    """Another request is doing the same; `retry_after` is in whole seconds."""

    code = Code.UPLOAD_UNDER_WAY

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class PreconditionFailed(AudienceError):
    """The record is not the one that the request expects; nothing was written."""

    code = Code.RECORD_CHANGED


class TooMany(AudienceError):
    """The client is over a rate limit; `retry_after` is in whole seconds."""

    code = Code.RATE_LIMITED

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ServiceUnavailable(AudienceError):
    """A resource that the request needs is unavailable; `retry_after` is in whole seconds, 0 if unknown."""

    code = Code.SERVICE_UNAVAILABLE

    def __init__(self, message: str, retry_after: int = 0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def refusals(checks: Checks) -> list[FieldError]:
    """Calls the check of each field. Returns an error of each whose check refuses."""
    found = []
    for field, check in checks.items():
        try:
            check()
        except Refused as error:
            found.append(FieldError(field, error.errors[0].message if error.errors else error.message))
    return found


def is_disk_fault(error: BaseException) -> bool:
    """Whether a system error means that a disk is full, or cannot be written or read."""
    return isinstance(error, OSError) and error.errno in DISK_ERRORS


def where(error: BaseException) -> str:
    """The type and stack of an unexpected error, for the log: its message may contain personal data."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} at " + " < ".join(
        f"{frame.filename}:{frame.lineno}" for frame in frames[::-1]
    )
