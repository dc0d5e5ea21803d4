"""The form of a request makes one, however often it is sent: its page has a token for it."""

import secrets
from collections.abc import Callable
from typing import TypeVar

from flask import request

from audience import sent_forms
from audience.console.page import present, read_form
from audience.sent_forms import SentForm

T = TypeVar("T")
TOKEN_BYTES = 16
AGAIN, AGAIN_SECRET = "again", "again-secret"  # in `SENTENCES`


def form_token(again: bool) -> str:
    """For a page with a form; `again` for the one that was sent, of a page with no other."""
    sent = request.form.get("form", "") if again and request.method == "POST" else ""
    return sent or secrets.token_urlsafe(TOKEN_BYTES)


def sent_before() -> str:
    """The id of what the form made when it was sent before, "" if nothing."""
    form = _form()
    return sent_forms.made_by(form) if form.token else ""


def again(made: object) -> str | None:
    """What the page says of a form that had been sent before, and made nothing now."""
    return AGAIN if made is None else None


def once(site_id: int, make: Callable[[], T], id_of: Callable[[T], object]) -> tuple[T | None, str]:
    """As `sent_forms.once`."""
    return sent_forms.once(_form(), site_id, make, lambda made: str(id_of(made)))


def _form() -> SentForm:
    return SentForm(present().session_id, read_form().get("form", ""))
