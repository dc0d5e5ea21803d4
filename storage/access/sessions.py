"""Sessions and one-time links, by the hash of their token. Instants are in milliseconds."""

from typing import NamedTuple

from peewee import ForeignKeyField, TextField

from storage.access.operators import OperatorModel
from storage.base_models import IdModel
from storage.database import execute, rows, value
from storage.records import Records


class Session(NamedTuple):
    """A signed-in browser."""

    id: int
    operator_id: int
    remembered: bool
    client_network: str
    created_at: int
    used_at: int


class SessionModel(IdModel, table="sessions", record=Session):
    """`searches` is JSON: the texts searched for, by site and name."""

    token_hash = TextField(unique=True)
    operator = ForeignKeyField(OperatorModel, on_delete="CASCADE")
    searches = TextField(default="{}")


class OneTimeLink(NamedTuple):
    """A link that is valid once, to sign in or set a password; without `operator_id`, to create the first
    operator.
    """

    id: int
    operator_id: int | None
    purpose: str
    expires_at: int


class OneTimeLinkModel(IdModel, table="one_time_links", record=OneTimeLink):
    token_hash = TextField(unique=True)
    operator = ForeignKeyField(OperatorModel, null=True, on_delete="CASCADE")


SESSIONS, LINKS = Records(SessionModel, Session), Records(OneTimeLinkModel, OneTimeLink)


def add(token_hash: str, operator_id: int, remembered: bool, client_network: str, at: int) -> int:
    """Adds a session of an operator. Returns its id."""
    return SESSIONS.add(
        token_hash=token_hash, operator=operator_id, remembered=remembered, client_network=client_network,
        created_at=at, used_at=at,
    )  # fmt: skip


def get(token_hash: str) -> Session | None:
    return SESSIONS.get(token_hash=token_hash)


def list_of(operator_id: int) -> list[Session]:
    """The sessions of an operator, the last used first."""
    return SESSIONS.find("ORDER BY used_at DESC, id DESC", operator_id=operator_id)


def touch(session_id: int, at: int) -> None:
    SESSIONS.change({"used_at": at}, id=session_id)


def searches(session_id: int) -> str | None:
    """The session's search texts as JSON; None if there is no such session."""
    return value("SELECT searches FROM sessions WHERE id = ?", (session_id,), None)


def put_searches(session_id: int, searches: str) -> None:
    SESSIONS.change({"searches": searches}, id=session_id)


def sessions_with(part: str) -> list[tuple[int, str]]:
    """The (session id, JSON of its searches) of the sessions in which a search contains `part`."""
    return rows("SELECT id, searches FROM sessions WHERE instr(searches, ?) > 0 ORDER BY id", (part,))


def delete(session_id: int, operator_id: int) -> bool:
    """Deletes a session. Returns False if the operator has no such session."""
    return SESSIONS.delete(id=session_id, operator_id=operator_id) > 0


def delete_sessions(operator_id: int) -> None:
    SESSIONS.delete(operator_id=operator_id)


def delete_sessions_and_links(operator_id: int) -> None:
    """Deletes all sessions and one-time links of an operator."""
    delete_sessions(operator_id)
    LINKS.delete(operator_id=operator_id)


def delete_all() -> None:
    """Deletes all sessions and one-time links."""
    SessionModel.delete().execute()
    OneTimeLinkModel.delete().execute()


def delete_old(created_before: int, remembered_before: int, at: int) -> None:
    """Deletes links that are expired at `at`, and sessions created before `created_before`.

    Remembered sessions are deleted only if created before `remembered_before`.
    """
    execute(
        "DELETE FROM sessions WHERE created_at < CASE WHEN remembered THEN ? ELSE ? END",
        (remembered_before, created_before),
    )
    execute("DELETE FROM one_time_links WHERE expires_at <= ?", (at,))


def add_link(token_hash: str, operator_id: int | None, purpose: str, expires_at: int) -> None:
    LINKS.add(token_hash=token_hash, operator=operator_id, purpose=purpose, expires_at=expires_at)


def get_link(token_hash: str) -> OneTimeLink | None:
    return LINKS.get(token_hash=token_hash)


def spend_link(link_id: int) -> None:
    LINKS.delete(id=link_id)


def delete_links_of(operator_id: int, purpose: str) -> None:
    LINKS.delete(operator_id=operator_id, purpose=purpose)
