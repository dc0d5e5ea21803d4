"""Operators: who may sign in to the console, and what each may do on which site."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from audience import addresses, clock
from audience.access import audit_log, sessions
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.answers.validation import address
from audience.errors import NotFound, Refused
from schemas.values import FieldError
from storage import database
from storage.access import operators as stored
from storage.access import sessions as stored_sessions
from storage.access.operators import OWNER, ConsoleOperator

__all__ = ["OWNER", "ConsoleOperator"]

FIRST = "the first operator"  # who has no address yet
ROLES = ("viewer", "support", "manager", OWNER)  # each may do all that those before it may

NO_OPERATOR = "There is no operator with this address: `audience operator list` lists all of them."
NO_TWO_FACTOR = "This operator has not turned on two-factor sign-in: there is nothing to reset."
NO_ADDRESS = "Use an e-mail address of the form name@example.com."
EXISTS = "There is an operator with this address already."
ROLE = f"The role must be one of {', '.join(ROLES)}."
LAST_ADMINISTRATOR = "This is the last administrator: make another operator an administrator first."
LAST_OWNER = "This is the last owner of a site: make another operator its owner first."


@dataclass(frozen=True)
class SignedInOperator:
    """An operator in a session. `roles` are by site id; `last_site_id` is that of the site used last."""

    id: int
    email: str
    administrator: bool
    has_password: bool
    has_two_factor: bool
    session_id: int
    roles: Mapping[int, str]
    last_site_id: int | None = None

    @property
    def name(self) -> str:
        return self.email or FIRST

    @property
    def is_complete(self) -> bool:
        """Whether address and password are set."""
        return bool(self.email and self.has_password)

    def may(self, role: str, site_id: int) -> bool:
        """Whether the operator has `role`, or a higher one, on a site."""
        return self.roles.get(site_id) in ROLES[ROLES.index(role) :]


def signed_in(token: str) -> SignedInOperator | None:
    """The operator of a session, by its token; None if the session has ended."""
    session = sessions.find(token)
    if session is None:
        return None
    with database.snapshot():
        operator = stored.get(id=session.operator_id)
        roles = stored.roles_of(session.operator_id)
        last = operator and stored.last_site(operator.id)
    return operator and SignedInOperator(
        operator.id,
        operator.email,
        operator.administrator,
        bool(operator.password_hash),
        bool(operator.two_factor),
        session.id,
        roles,
        last,
    )


def note_site(operator: SignedInOperator, site: Site) -> None:
    """Stores which site the operator used last, unless the database is read-only."""
    if operator.last_site_id != site.id:
        sessions.note(partial(stored.put_last_site, operator.id, site.id))


@database.session()
def list_all() -> list[tuple[ConsoleOperator, dict[int, str]]]:
    """The (operator, roles by site id) of all operators, oldest first."""
    return [(operator, stored.roles_of(operator.id)) for operator in stored.list_all()]


@database.session()
def sites_of(operator_id: int) -> list[Site]:
    return stored.sites_of(operator_id)


@database.session()
def owners(site: Site) -> list[str]:
    """The addresses of a site's owners; `FIRST` stands for one without an address."""
    roles = stored.roles_on(site.id)
    return [operator.email or FIRST for operator in stored.list_all() if roles.get(operator.id) == OWNER]


@database.session()
def is_set_up() -> bool:
    """Whether there is an operator who can sign in: the first link is then of no more use."""
    return any(operator.email for operator in stored.list_all())


@database.session()
def get(email: str) -> ConsoleOperator:
    """Gets an operator. Raises `NotFound`."""
    try:
        operator = stored.get(email_key=addresses.identity(email))
    except addresses.MalformedAddress:
        operator = None
    if operator is None:
        raise NotFound(NO_OPERATOR)
    return operator


@database.write(database.SHARED)
def add(email: str, administrator: bool, roles: Mapping[Site, str], actor: Actor) -> str:
    """Adds an operator. Returns the token of a one-time link to set a password.

    Raises `Refused` for an unknown role, or an address that another operator has or that cannot get mail.
    """
    key = _new_key(email)
    operator_id = stored.add(
        email=email.strip(), email_key=key, administrator=administrator, created_at=clock.now_ms()
    )
    audit_log.record(actor, "operator added", operator=email.strip())
    for site, role in roles.items():
        _put_role(operator_id, email.strip(), site, role, actor)
    return sessions.new_link(operator_id, sessions.PASSWORD)


@database.write(database.SHARED)
def set_role(email: str, site: Site, role: str | None, actor: Actor) -> None:
    """Gives an operator a role on a site; None removes it. A change ends the operator's sessions.

    Raises `NotFound`, and `Refused` for the last owner of the site.
    """
    operator = get(email)
    if stored.roles_of(operator.id).get(site.id) == role:
        return
    if role != OWNER and _is_last_owner(operator.id, site.id):
        raise Refused(LAST_OWNER)
    if role is None:
        stored.delete_role(operator.id, site.id)
        audit_log.record(actor, "role removed", site, operator=operator.email)
    else:
        _put_role(operator.id, operator.email, site, role, actor)
    stored_sessions.delete_sessions(operator.id)


@database.write(database.SHARED)
def add_owners(site: Site, actor: Actor, operator_id: int | None = None) -> None:
    """Makes an operator, or all administrators, owners of a site. Their sessions continue."""
    for operator in stored.list_all():
        if operator.administrator if operator_id is None else operator.id == operator_id:
            _put_role(operator.id, operator.email or FIRST, site, OWNER, actor)


def remove_roles(site: Site) -> None:
    """Removes all roles on a site that is deleted, in the caller's transaction. Sessions continue."""
    stored.delete_roles_on(site.id)


@database.write(database.SHARED)
def set_administrator(email: str, administrator: bool, actor: Actor) -> None:
    """Makes an operator an administrator, or takes that away. A change ends the operator's sessions.

    Raises `NotFound`, and `Refused` for the last administrator.
    """
    operator = get(email)
    if bool(operator.administrator) is administrator:
        return
    if not administrator and _is_last_administrator(operator.id):
        raise Refused(LAST_ADMINISTRATOR)
    stored.set_administrator(operator.id, administrator)
    stored_sessions.delete_sessions(operator.id)
    action = "made an administrator" if administrator else "no longer an administrator"
    audit_log.record(actor, action, operator=operator.email)


@database.write(database.SHARED)
def reset(email: str, actor: Actor) -> str:
    """Deletes an operator's password and ends the sessions. Returns the token of a link to set a new
    password.

    Raises `NotFound`.
    """
    operator = get(email)
    stored.set_password_hash(operator.id, "")
    stored_sessions.delete_sessions_and_links(operator.id)
    audit_log.record(actor, "operator reset", operator=operator.email)
    return sessions.new_link(operator.id, sessions.PASSWORD)


@database.write(database.SHARED)
def reset_two_factor(email: str, actor: Actor) -> None:
    """Turns off an operator's two-factor sign-in, and ends the sessions. Raises `NotFound` and `Refused`."""
    operator = get(email)
    if not operator.two_factor:
        raise Refused(NO_TWO_FACTOR)
    stored.end_two_factor(operator.id)
    stored_sessions.delete_sessions_and_links(operator.id)
    audit_log.record(actor, "two-factor sign-in reset", operator=operator.email)


@database.write(database.SHARED)
def remove(email: str, actor: Actor) -> None:
    """Removes an operator.

    Raises `NotFound`, and `Refused` for the last administrator or the last owner of a site.
    """
    operator = get(email)
    if _is_last_administrator(operator.id):
        raise Refused(LAST_ADMINISTRATOR)
    if any(_is_last_owner(operator.id, site_id) for site_id in stored.roles_of(operator.id)):
        raise Refused(LAST_OWNER)
    stored.delete(id=operator.id)
    audit_log.record(actor, "operator removed", operator=operator.email)


@database.write(database.SHARED)
def set_email(operator: SignedInOperator, email: str, actor: Actor) -> None:
    """Changes an operator's address. Raises `Refused`."""
    if email.strip() != operator.email:
        put_email(operator.id, email)
        audit_log.record(actor, "operator's address set", operator=email.strip())


def check_email(email: str) -> str:
    """The key of an address. Raises `Refused` if it cannot get mail."""
    try:
        key = addresses.identity(email)
    except addresses.MalformedAddress:
        key = ""
    if not key or address.parse(email) is None:
        raise Refused(NO_ADDRESS, [FieldError("email", NO_ADDRESS)])
    return key


def put_email(operator_id: int, email: str) -> None:
    """Stores an operator's address, in the caller's transaction. Raises `Refused`."""
    stored.set_email(operator_id, email.strip(), _new_key(email, operator_id))


def _new_key(email: str, operator_id: int | None = None) -> str:
    """The key of an address. Raises `Refused` if it cannot get mail, or another operator has it."""
    key = check_email(email)
    other = stored.get(email_key=key)
    if other is not None and other.id != operator_id:
        raise Refused(EXISTS, [FieldError("email", EXISTS)])
    return key


def _put_role(operator_id: int, email: str, site: Site, role: str, actor: Actor) -> None:
    """Gives an operator a role on a site, which the audit log records. Raises `Refused`."""
    if role not in ROLES:
        raise Refused(ROLE)
    stored.set_role(operator_id, site.id, role)
    audit_log.record(actor, f"role {role} given", site, operator=email)


def _is_last_administrator(operator_id: int) -> bool:
    return [operator.id for operator in stored.list_all() if operator.administrator] == [operator_id]


def _is_last_owner(operator_id: int, site_id: int) -> bool:
    return [operator for operator, role in stored.roles_on(site_id).items() if role == OWNER] == [operator_id]
