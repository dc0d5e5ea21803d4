"""Sessions of signed-in browsers, one-time links, and the results of forms that were sent in a session.

Tokens are stored as keyed hashes only. A form that is sent twice takes effect once.
"""

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from audience import clock
from audience.clock import DAY_MS, HOUR_MS, MINUTE_MS
from audience.errors import NotFound, Refused
from audience.privacy import pepper
from schemas.values import compact_json
from storage import database
from storage.access import sent_forms as stored_forms
from storage.access import sessions as stored
from storage.access.sessions import OneTimeLink, Session
from storage.errors import DiskFault, Unavailable

__all__ = ["OneTimeLink", "Session"]

T = TypeVar("T")
SHARED = database.SHARED
LIFETIME_MS = {False: 12 * HOUR_MS, True: 30 * DAY_MS}  # by whether it is remembered
IDLE_MS = {False: 2 * HOUR_MS, True: 7 * DAY_MS}
TOUCH_MS = 5 * MINUTE_MS  # between two writes of the last use
FIRST, SIGN_IN, PASSWORD = "first", "sign_in", "password"  # purposes of links
CODE = "code"  # of what is stored as a link is: a sign-in that waits for its code
LINK_MS = {FIRST: 15 * MINUTE_MS, SIGN_IN: 15 * MINUTE_MS, PASSWORD: 3 * DAY_MS, CODE: 10 * MINUTE_MS}
TOKEN_BYTES = 32
NAME_BYTES = 9  # of a search that is kept
KEPT_MS = DAY_MS  # what a form made
MOST_KEPT = 50  # searches of a session
PATHS = {FIRST: "first", SIGN_IN: "link", PASSWORD: "password"}  # of the pages that links lead to, by purpose

SPENT = "This link was used already, or is too old: ask the person who gave it to you for a new one."
NO_SESSION = "This session no longer exists: reload the list."

_refused_at = -MINUTE_MS  # the uptime at which the last use could not be noted


@database.write(database.SHARED)
def begin(operator_id: int, remembered: bool, client_network: str, replaced: str = "") -> str:
    """Begins a session, and ends the one with the token `replaced`. Returns the token for its cookie."""
    at = clock.now_ms()
    end_by_token(replaced)
    stored.delete_old(at - LIFETIME_MS[False], at - LIFETIME_MS[True], at)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    stored.add(_hash(token), operator_id, remembered, client_network, at)
    return token


def find(token: str) -> Session | None:
    """The session with a token, or None if it has ended. Notes the use of the session."""
    at = clock.now_ms()
    with database.session():
        session = stored.get(_hash(token))
    if session is None or not _is_alive(session, at):
        return None
    if at - session.used_at >= TOUCH_MS:
        note(partial(stored.touch, session.id, at))
    return session


def note(write: Callable[[], None]) -> None:
    """Calls `write` in a transaction, for a page that otherwise only reads.

    If the database is read-only, further calls do nothing for a minute.
    """
    global _refused_at
    if clock.uptime_ms() - _refused_at < MINUTE_MS:
        return
    try:
        with database.write(database.SHARED):
            write()
    except (Unavailable, DiskFault):
        _refused_at = clock.uptime_ms()


@database.session()
def list_of(operator_id: int) -> list[Session]:
    """The active sessions of an operator, last used first."""
    at = clock.now_ms()
    return [session for session in stored.list_of(operator_id) if _is_alive(session, at)]


@database.write(database.SHARED)
def end(session_id: int, operator_id: int) -> None:
    """Ends a session. Raises `NotFound` if the operator has no such session."""
    if not stored.delete(session_id, operator_id):
        raise NotFound(NO_SESSION)


@database.write(database.SHARED)
def end_by_token(token: str) -> None:
    """Ends the session with a token, if any."""
    session = stored.get(_hash(token))
    if session is not None:
        stored.delete(session.id, session.operator_id)


def csrf_token(token: str) -> str:
    """The CSRF token in every form of a session."""
    return pepper.digest("csrf", token)


def form_owner(operator_id: int) -> str:
    """A digest of the operator for whom a form was rendered. Every form carries it."""
    return pepper.digest("form owner", str(operator_id))


@database.write(database.SHARED)
def keep_search(session_id: int, site_id: int, text: str) -> str:
    """Stores a search text on a site. Returns a name that stands for the text in URLs, which must not have
    addresses.

    The same text keeps its name. Beyond `MOST_KEPT` texts, the oldest is deleted.
    """
    searches = _searches(session_id)
    same_text = (
        key for key, stored_text in searches.items() if stored_text == text and key.startswith(f"{site_id}.")
    )
    key = next(same_text, f"{site_id}.{secrets.token_urlsafe(NAME_BYTES)}")
    searches.pop(key, None)
    newest = [*searches.items(), (key, text)][-MOST_KEPT:]
    stored.put_searches(session_id, compact_json(dict(newest)))
    return key.partition(".")[2]


@database.session()
def search_text(session_id: int, site_id: int, name: str) -> str | None:
    """The search text with a name; None if it was deleted."""
    return _searches(session_id).get(f"{site_id}.{name}")


def forget_searches(site_id: int) -> None:
    """Deletes the search texts of a site in all sessions."""
    for session_id, searches in stored.sessions_with(f'"{site_id}.'):
        others = {key: text for key, text in _read(searches).items() if not key.startswith(f"{site_id}.")}
        stored.put_searches(session_id, compact_json(others))


def _searches(session_id: int) -> dict[str, str]:
    return _read(stored.searches(session_id) or "{}")


def _read(searches: str) -> dict[str, str]:
    """The search texts by `site_id.name`, oldest first."""
    texts: dict[str, str] = json.loads(searches)
    return texts


@database.write(database.SHARED)
def new_link(operator_id: int | None, purpose: str) -> str:
    """Creates a one-time link. Returns its token.

    It replaces older ones of its operator for the same purpose, except sign-ins that wait for a code.
    """
    if operator_id is not None and purpose != CODE:
        stored.delete_links_of(operator_id, purpose)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    stored.add_link(_hash(token), operator_id, purpose, clock.now_ms() + LINK_MS[purpose])
    return token


def link(console_url: str, purpose: str, token: str) -> str:
    """The URL of a one-time link. The token is in the fragment, which no server, proxy or log sees."""
    return f"{console_url}/console/{PATHS[purpose]}#{token}"


@database.session()
def find_link(token: str, purpose: str) -> OneTimeLink:
    """The one-time link with a token. Raises `Refused` unless it is valid for the purpose."""
    link = stored.get_link(_hash(token))
    if link is None or link.purpose != purpose or clock.now_ms() >= link.expires_at:
        raise Refused(SPENT)
    return link


@database.write(database.SHARED)
def spend_link(token: str, purpose: str) -> OneTimeLink:
    """Makes a one-time link invalid. Returns it. Raises `Refused` unless it is valid for the purpose."""
    link = find_link(token, purpose)
    stored.spend_link(link.id)
    return link


def _is_alive(session: Session, at: int) -> bool:
    remembered = bool(session.remembered)
    return at < session.created_at + LIFETIME_MS[remembered] and at < session.used_at + IDLE_MS[remembered]


def _hash(token: str) -> str:
    return pepper.digest("console", token)


@dataclass(frozen=True)
class SentForm:
    """A form that an operator sent. `token` identifies the page with the form, "" without one."""

    session_id: int
    token: str

    @property
    def token_hash(self) -> str:
        """The keyed hash by which the form is stored."""
        return pepper.digest("form", self.token)


@database.session()
def result_of(form: SentForm) -> str:
    """The id of what a form has created; "" if it has created nothing."""
    return stored_forms.result(form.session_id, form.token_hash, clock.now_ms() - KEPT_MS)


def make_once(
    form: SentForm, site_id: int, make: Callable[[], T], id_of: Callable[[T], str]
) -> tuple[T | None, str]:
    """Calls `make`. Returns (result, its id) or, if the form was sent before, (None, id of the earlier
    result).

    The result and its id are written in one transaction of the site, or of `SHARED`. A failure leaves
    neither.
    """
    with database.write(site_id):
        result = result_of(form) if form.token else ""
        if result:
            return None, result
        row = make()
        if form.token:
            stored_forms.put(form.session_id, form.token_hash, id_of(row), clock.now_ms(), KEPT_MS)
        return row, id_of(row)
