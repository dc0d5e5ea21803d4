"""What the domain refuses; the HTTP edge alone knows which status each becomes (contract section 1)."""

import traceback
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FieldError:
    """One refused value: where (`subscribers[3].email`) and what to do about it."""

    field: str
    message: str


class AudienceError(Exception):
    """`message` is one sentence for the reader; it never repeats what the client sent."""

    def __init__(self, message: str, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.errors = tuple(errors)


class NotUnderstood(AudienceError):
    """The request contradicts itself or is not JSON."""


class Unauthorized(AudienceError):
    """No key, a wrong key, no site, or a site that the key does not reach: the reader cannot tell which."""


class Forbidden(AudienceError):
    """A good key without the scope for this."""


class NotFound(AudienceError):
    """A named thing that the site does not have."""


class TooLarge(AudienceError):
    """A body over its limit."""


class NotJson(AudienceError):
    """A form or multipart body."""


class Refused(AudienceError):
    """Well-formed JSON with a wrong value; nothing was written."""


class TooMany(AudienceError):
    """Over a rate limit; `retry_after` in whole seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Away(AudienceError):
    """A part that this request cannot do without is away."""


def where(error: BaseException) -> str:
    """An unexpected error for the log: its type and place; its message may hold somebody's data."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} at " + " < ".join(
        f"{each.filename}:{each.lineno}" for each in frames[::-1]
    )
