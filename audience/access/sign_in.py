"""Signing in to the console: with a password or a one-time link, then perhaps with a code.

A function that signs in returns the token of a session or, for an operator with two-factor sign-in, of a
sign-in that waits for its code: `awaiting` tells.
"""

from contextlib import suppress
from functools import partial
from typing import NamedTuple

from audience import clock
from audience.access import audit_log, operators, passwords, sessions, two_factor
from audience.access.audit_log import Actor
from audience.access.operators import OWNER, SignedInOperator
from audience.access.sessions import OneTimeLink
from audience.errors import Checks, NotFound, Refused, refusals
from schemas.values import FieldError
from storage import database
from storage.access import operators as stored
from storage.access import sessions as stored_sessions
from storage.access import sites as stored_sites
from storage.access.operators import ConsoleOperator

TRIES, SLOW_TRIES = "20/hour", "1/minute"  # to sign in, per name, over all addresses
WRONG = "The address or the password is wrong: try again."
NOT_THE_FIRST = "There is already an operator: run `audience console` again for a new link."
NOT_SET_UP = "Nothing was saved: correct the marked fields."
NAME_ONE = "There are several operators: name one with --as EMAIL."
NO_CHANGE = "Your address was not changed."
CURRENT = "This is not your present password: type it again."
WRONG_CODE = "This code is wrong, too old or used: type the one that your app shows now, or a recovery code."
WRONG_FIRST_CODE = "The code is wrong: type the one that your app shows now."
STEP_OVER = "Sign in again: a code is accepted once, within 10 minutes after the password or the link."
NOT_TURNED_ON = "Two-factor sign-in was not turned on."
STAYS_ON = "Two-factor sign-in was not turned off."
ON_ALREADY = "Two-factor sign-in is on already: turn it off first, then set it up again."
INCOMPLETE = "Set an address and a password first: then set up two-factor sign-in."


class TwoFactorSetUp(NamedTuple):
    """What an app needs: the secret in groups of four characters, and as an `otpauth` link."""

    secret: str
    uri: str


@database.write(database.SHARED)
def console_link(email: str | None = None) -> tuple[str, str]:
    """The (purpose, token) of a link that signs in the operator with the address `email`.

    Without `email`, the link is for the only administrator. If there is no operator, or that one has no
    address, it is the first link. Raises `NotFound`, and `Refused` if there are several administrators.
    """
    if email is not None:
        return sessions.SIGN_IN, sessions.new_link(operators.get(email).id, sessions.SIGN_IN)
    everyone = stored.list_all()
    administrators = [operator for operator in everyone if operator.administrator]
    if everyone and len(administrators) != 1:
        raise Refused(NAME_ONE)
    first = administrators[0] if everyone else None
    purpose = sessions.SIGN_IN if first and first.email else sessions.FIRST
    return purpose, sessions.new_link(first.id if first else None, purpose)


def hash_first_password(token: str, email: str, password: str, others: Checks) -> str:
    """The hash of a password for `with_first_link`. Takes long: call it outside of a transaction.

    `others` has the checks of further fields. Raises `Refused` if the link is not valid, or with every field
    that is refused.
    """
    sessions.find_link(token, sessions.FIRST)
    own: Checks = {
        "email": partial(operators.check_email, email),
        "password": partial(passwords.check, password, email=email),
    }
    if problems := refusals({**own, **others}):
        raise Refused(NOT_SET_UP, problems)
    return passwords.hash_password(password)


@database.write(database.SHARED)
def with_first_link(
    token: str, email: str, password_hash: str, client_network: str, replaced: str = ""
) -> str:
    """Creates the first operator, who owns every site. Returns the token of a session that replaces another.

    An operator of an older version, who has no address, gets this one. Raises `Refused`, also if the link is
    not valid.
    """
    operator_id = sessions.spend_link(token, sessions.FIRST).operator_id
    if operator_id is None:
        operator_id = _create_first(client_network)
    operators.put_email(operator_id, email)
    _put_password(operator_id, password_hash, client_network)
    return _begin_session(operator_id, False, client_network, replaced)


@database.write(database.SHARED)
def with_link(token: str, client_network: str, replaced: str = "") -> str:
    """Signs in with a link, once. Returns a token; the session replaces the one with the token `replaced`.

    Raises `Refused` if the link is not valid.
    """
    operator_id = sessions.spend_link(token, sessions.SIGN_IN).operator_id
    if operator_id is None:  # of an older version: the first link had the same purpose
        raise Refused(sessions.SPENT)
    return _begin(operator_id, False, client_network, replaced)


def with_password(
    email: str, password: str, remembered: bool, client_network: str, replaced: str = ""
) -> str | None:
    """Signs in with a password. Returns a token; None if address or password is wrong.

    An unknown address takes as long as a wrong password. Raises `ServiceUnavailable` while too many others
    sign in.
    """
    try:
        operator = operators.get(email)
    except NotFound:
        operator = None
    if not passwords.matches(password, operator.password_hash if operator else "") or operator is None:
        return None
    with database.write(database.SHARED):
        current = stored.get(id=operator.id)
        if current is None or current.password_hash != operator.password_hash:
            return None
        return _begin(operator.id, remembered, client_network, replaced)


def awaiting_email(token: str) -> str:
    """The address of the operator whose sign-in waits for its code; "" if none does with this token."""
    with suppress(Refused), database.session():
        return _waiting(token)[1].email
    return ""


def with_code(token: str, code: str, remembered: bool, client_network: str, replaced: str = "") -> str | None:
    """Ends the sign-in that waits with a token. Returns the token of a new session; None for a wrong code.

    Raises `Refused` if none waits.
    """
    with database.write(database.SHARED):
        link, operator = _waiting(token)
        if not two_factor.spend(operator, code, client_network):
            return None
        stored_sessions.spend_link(link.id)
        return _begin_session(operator.id, remembered, client_network, replaced)


def _waiting(token: str) -> tuple[OneTimeLink, ConsoleOperator]:
    """What waits for its code with a token, and whose code. Raises `Refused`."""
    with suppress(Refused):
        link = sessions.find_link(token, sessions.CODE)
        operator = stored.get(id=link.operator_id)
        if operator and operator.two_factor:
            return link, operator
    raise Refused(STEP_OVER)


def two_factor_set_up(operator: SignedInOperator, session_token: str, issuer: str) -> TwoFactorSetUp:
    """What a session sets up two-factor sign-in with; the same until it ends. Stores nothing."""
    nonce = two_factor.new_nonce(session_token)
    uri = two_factor.uri(nonce, operator.email, issuer)
    return TwoFactorSetUp(two_factor.grouped(two_factor.secret(nonce), " "), uri)


def count_recovery_codes(operator: SignedInOperator) -> int:
    """How many recovery codes an operator has left."""
    with database.session():
        current = stored.get(id=operator.id)
    return two_factor.count_recovery_codes(current) if current else 0


def turn_on_two_factor(
    operator: SignedInOperator, session_token: str, password: str, code: str, client_network: str
) -> tuple[str, list[str]]:
    """Turns on two-factor sign-in, given a code of what the session set up. Ends all sessions.

    Returns (token of a new session, recovery codes). Raises `Refused`.
    """
    if operator.has_two_factor:
        raise Refused(ON_ALREADY)
    if not operator.is_complete:
        raise Refused(INCOMPLETE)
    _check_current(operator, password, "present", NOT_TURNED_ON)
    nonce = two_factor.new_nonce(session_token)
    codes, hashes = two_factor.new_recovery_codes(nonce)
    step = two_factor.find_step(code, nonce)
    with database.write(database.SHARED):
        current = stored.get(id=operator.id)
        if not step or current is None or current.two_factor:
            raise Refused(NOT_TURNED_ON, [FieldError("code", WRONG_FIRST_CODE)])
        stored.set_two_factor(current, nonce, step, hashes)
        return _note_two_factor(current, "on", client_network), codes


def turn_off_two_factor(operator: SignedInOperator, password: str, code: str, client_network: str) -> str:
    """Turns off two-factor sign-in. Ends all sessions. Returns the token of a new one. Raises `Refused`."""
    _check_current(operator, password, "present", STAYS_ON)
    with database.write(database.SHARED):
        current = stored.get(id=operator.id)
        if current is None or not current.two_factor or not two_factor.spend(current, code, client_network):
            raise Refused(STAYS_ON, [FieldError("code", WRONG_CODE)])
        stored.end_two_factor(operator.id)
        return _note_two_factor(current, "off", client_network)


def _note_two_factor(operator: ConsoleOperator, state: str, client_network: str) -> str:
    """Ends an operator's sessions and links after a change. Returns the token of a new session."""
    stored_sessions.delete_sessions_and_links(operator.id)
    audit_log.record(Actor(operator.email, client_network), f"two-factor sign-in turned {state}")
    return _begin_session(operator.id, False, client_network)


def set_password_with_link(token: str, password: str, client_network: str, replaced: str = "") -> str:
    """Sets a password with a link, once. Ends all other sessions. Returns a token.

    Raises `Refused` if the link is not valid, or the password is refused.
    """
    link = sessions.find_link(token, sessions.PASSWORD)
    with database.session():
        operator = stored.get(id=link.operator_id or 0)
    passwords.check(password, email=operator.email if operator else "")
    password_hash = passwords.hash_password(password)
    with database.write(database.SHARED):
        operator_id = sessions.spend_link(token, sessions.PASSWORD).operator_id
        assert operator_id is not None  # noqa: S101 - a link to set a password always has one
        _put_password(operator_id, password_hash, client_network)
        return _begin(operator_id, False, client_network, replaced)


def set_password(operator: SignedInOperator, current: str, password: str, client_network: str) -> str:
    """Sets an operator's password; requires the current one, if there is one. Returns the token of a new
    session.

    Raises `Refused`, `ServiceUnavailable`.
    """
    _check_current(operator, current, "current", passwords.REFUSED)
    passwords.check(password, email=operator.email)
    password_hash = passwords.hash_password(password)
    with database.write(database.SHARED):
        _put_password(operator.id, password_hash, client_network)
        return _begin_session(operator.id, False, client_network)


def set_email(operator: SignedInOperator, email: str, current_password: str, actor: Actor) -> None:
    """Changes the operator's own address; requires the current password if there is one. Raises `Refused`."""
    _check_current(operator, current_password, "present", NO_CHANGE)
    operators.set_email(operator, email, actor)


def _check_current(operator: SignedInOperator, password: str, field: str, message: str) -> None:
    """Raises `Refused` unless `password` is the operator's, or the operator has none."""
    with database.session():
        current = stored.get(id=operator.id)
    if current is None or (current.password_hash and not passwords.matches(password, current.password_hash)):
        raise Refused(message, [FieldError(field, CURRENT)])


def _create_first(client_network: str) -> int:
    """Creates the first operator, who owns every site. Returns the id. Raises `Refused` if there is an
    operator.
    """
    if stored.list_all():
        raise Refused(NOT_THE_FIRST)
    operator_id = stored.add(email="", email_key=None, administrator=True, created_at=clock.now_ms())
    for site in stored_sites.list_all():
        stored.set_role(operator_id, site.id, OWNER)
    audit_log.record(Actor(operators.FIRST, client_network), "first operator made, who owns every site")
    return operator_id


def _begin(operator_id: int, remembered: bool, client_network: str, replaced: str) -> str:
    """Begins a session or, with two-factor sign-in, to wait for a code. Returns its token."""
    operator = stored.get(id=operator_id)
    if operator and operator.two_factor:
        return sessions.new_link(operator_id, sessions.CODE)
    return _begin_session(operator_id, remembered, client_network, replaced)


def _begin_session(operator_id: int, remembered: bool, client_network: str, replaced: str = "") -> str:
    operator = stored.get(id=operator_id)
    name = (operator.email if operator else "") or operators.FIRST
    audit_log.record(Actor(name, client_network), "signed in")
    return sessions.begin(operator_id, remembered, client_network, replaced)


def _put_password(operator_id: int, password_hash: str, client_network: str) -> None:
    stored.set_password_hash(operator_id, password_hash)
    stored_sessions.delete_sessions_and_links(operator_id)
    operator = stored.get(id=operator_id)
    name = (operator.email if operator else "") or operators.FIRST
    audit_log.record(Actor(name, client_network), "password set")
