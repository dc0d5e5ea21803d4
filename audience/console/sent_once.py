"""Makes sure that a form creates one thing, however often it is sent. Its page has a token for that."""

import secrets
from collections.abc import Callable
from typing import TypeVar

from flask import request

from audience.access import sessions
from audience.access.sessions import SentForm
from audience.console.page import read_form, signed_in

T = TypeVar("T")
TOKEN_BYTES = 16
AGAIN, AGAIN_SECRET = "again", "again-secret"  # in `SENTENCES`


def form_token(again: bool) -> str:
    """A token for a page with a form. With `again`, it is the one that this request sent, if any."""
    sent = request.form.get("form", "") if again and request.method == "POST" else ""
    return sent or secrets.token_urlsafe(TOKEN_BYTES)


def token_of(*parts: str) -> str:
    """A token for a form that follows a choice, which `parts` describe.

    It stays the same for the same choice on the same page.
    """
    return ".".join((form_token(again=True).partition(".")[0], *parts))


def earlier_result(*typed: str) -> str:
    """The id of what this form made when sent before with the same `typed` values; "" if nothing."""
    form = _form(*typed)
    return sessions.result_of(form) if form.token else ""


def sent_before(row: object) -> str | None:
    """The name of the message "sent before" if `row` is None, because the form was sent before; else None."""
    return AGAIN if row is None else None


def make_once(
    site_id: int, make: Callable[[], T], id_of: Callable[[T], object], *typed: str
) -> tuple[T | None, str]:
    """Calls `make` in a transaction of site `site_id`. Returns (result, its id).

    If the form was sent before with the same `typed` values, returns (None, earlier id).
    """
    return sessions.make_once(_form(*typed), site_id, make, lambda row: str(id_of(row)))


def _form(*typed: str) -> SentForm:
    token = read_form().get("form", "")
    return SentForm(signed_in().session_id, "\n".join((token, *typed)) if token else "")
