"""Errors of the domain; `audience.http.errors` maps each to a status."""

import errno
import traceback
from collections.abc import Sequence

from schemas.values import FieldError, error_names

DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS})


class AudienceError(Exception):
    """An error with a sentence for the client. `message` repeats nothing of the request; `found` has the
    values to show, by name.
    """

    def __init__(self, message: str, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.errors = tuple(errors)
        self.found = error_names(self.errors)


class NotUnderstood(AudienceError):
    """The request contradicts itself, or is not JSON."""


class Unauthorized(AudienceError):
    """The key or the site is missing or wrong, or the key has no access to the site. The message does not say
    which.
    """


class Forbidden(AudienceError):
    """The key is valid, but lacks the required scope."""


class NotFound(AudienceError):
    """The site has no such record."""


class TooLarge(AudienceError):
    """The body is over the size limit."""

    def __init__(self) -> None:
        super().__init__("The body is too large: split it into several requests.")


class TooLate(AudienceError):
    """The body did not arrive in time."""

    def __init__(self) -> None:
        super().__init__("Timeout: the body did not arrive in time; send the request again.")


class NotJson(AudienceError):
    """The body is a form or multipart, not JSON."""


class Compressed(AudienceError):
    """The body is compressed."""

    def __init__(self) -> None:
        super().__init__("The body is compressed: send it as it is, without Content-Encoding.")


class Refused(AudienceError):
    """A value is wrong; nothing was written."""


class UnderWay(AudienceError):
    """Another request is at the same thing; `retry_after` is in whole seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class PreconditionFailed(AudienceError):
    """The record is not the one that the request expects; nothing was written."""


class TooMany(AudienceError):
    """The client is over a rate limit; `retry_after` is in whole seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ServiceUnavailable(AudienceError):
    """A resource that the request needs is unavailable; `retry_after` is in whole seconds, 0 if unknown."""

    def __init__(self, message: str, retry_after: int = 0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def is_disk_fault(error: BaseException) -> bool:
    """Whether the system's error means that a disk is full, or cannot be written or read."""
    return isinstance(error, OSError) and error.errno in DISK_ERRORS


def where(error: BaseException) -> str:
    """The type and stack of an unexpected error, for the log; its message may contain personal data."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} at " + " < ".join(
        f"{frame.filename}:{frame.lineno}" for frame in frames[::-1]
    )
