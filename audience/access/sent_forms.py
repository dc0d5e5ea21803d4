"""What a form of a session made, so that one that is sent twice makes one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from audience import clock, pepper
from storage import database
from storage import sent_forms as stored

T = TypeVar("T")
SHARED = database.SHARED
KEPT_MS = 86_400_000


@dataclass(frozen=True)
class SentForm:
    """A form as a page of a session has it; `token` is of that page alone."""

    session_id: int
    token: str

    @property
    def name(self) -> str:
        return pepper.digest("form", self.token)


@database.session()
def made_by(form: SentForm) -> str:
    """The id of what a form made, "" if nothing."""
    return stored.result(form.session_id, form.name, clock.now_ms() - KEPT_MS)


def once(
    form: SentForm, site_id: int, make: Callable[[], T], id_of: Callable[[T], str]
) -> tuple[T | None, str]:
    """What `make` makes, and its id; None and the id of what was made, if the form was sent before.

    Both are written in one transaction, of the site or `SHARED`: what fails leaves nothing.
    """
    with database.write(site_id):
        known = made_by(form) if form.token else ""
        if known:
            return None, known
        row = make()
        if form.token:
            stored.put(form.session_id, form.name, id_of(row), clock.now_ms(), KEPT_MS)
        return row, id_of(row)
