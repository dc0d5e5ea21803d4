"""The form of a request makes one, however often it is sent: its page has a token for it."""

import secrets
from collections.abc import Callable
from typing import TypeVar

from flask import request

from audience.access import sessions
from audience.access.sessions import SentForm
from audience.console.page import present, read_form

T = TypeVar("T")
TOKEN_BYTES = 16
AGAIN, AGAIN_SECRET = "again", "again-secret"  # in `SENTENCES`


def form_token(again: bool) -> str:
    """A token for a page with a form. With `again`, the token of the form that was sent is used again."""
    sent = request.form.get("form", "") if again and request.method == "POST" else ""
    return sent or secrets.token_urlsafe(TOKEN_BYTES)


def token_of(*parts: str) -> str:
    """A token for a form that follows a choice. It stays the same while the choice and the page that offers
    it do.
    """
    return ".".join((form_token(again=True).partition(".")[0], *parts))


def earlier_result(*typed: str) -> str:
    """The id of what the form made when it was sent before with the same `typed` values; "" if nothing."""
    form = _form(*typed)
    return sessions.result_of(form) if form.token else ""


def again(row: object) -> str | None:
    """The message for a form that made nothing, because it had been sent before; else None."""
    return AGAIN if row is None else None


def make_once(
    site_id: int, make: Callable[[], T], id_of: Callable[[T], object], *typed: str
) -> tuple[T | None, str]:
    """The result of `make` and its id; None and the earlier id if the form was sent before. With other values
    in `typed` it counts as another form.
    """
    return sessions.make_once(_form(*typed), site_id, make, lambda row: str(id_of(row)))


def _form(*typed: str) -> SentForm:
    token = read_form().get("form", "")
    return SentForm(present().session_id, "\n".join((token, *typed)) if token else "")
