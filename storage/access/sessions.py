"""Sessions and one-time links, by the hash of their token. Instants are in milliseconds."""

from typing import NamedTuple

from storage.access.models import OneTimeLinkModel, SessionModel
from storage.database import execute, row, rows

COLUMNS = "id, operator_id, remembered, client_network, created_at, used_at"


class Session(NamedTuple):
    id: int
    operator_id: int
    remembered: bool
    client_network: str
    created_at: int
    used_at: int


class OneTimeLink(NamedTuple):
    """`operator_id` is None in a link for the first operator."""

    id: int
    operator_id: int | None
    purpose: str
    expires_at: int


def add(token_hash: str, operator_id: int, remembered: bool, client_network: str, at: int) -> int:
    session_id: int = SessionModel.insert(
        token_hash=token_hash,
        operator=operator_id,
        remembered=remembered,
        client_network=client_network,
        created_at=at,
        used_at=at,
    ).execute()
    return session_id


def get(token_hash: str) -> Session | None:
    record = row(f"SELECT {COLUMNS} FROM sessions WHERE token_hash = ?", (token_hash,))
    return record and Session(*record)


def list_of(operator_id: int) -> list[Session]:
    """Last used first."""
    records = rows(
        f"SELECT {COLUMNS} FROM sessions WHERE operator_id = ? ORDER BY used_at DESC, id DESC", (operator_id,)
    )
    return [Session(*record) for record in records]


def touch(session_id: int, at: int) -> None:
    execute("UPDATE sessions SET used_at = ? WHERE id = ?", (at, session_id))


def searches(session_id: int) -> str | None:
    record = row("SELECT searches FROM sessions WHERE id = ?", (session_id,))
    return record and str(record[0])


def put_searches(session_id: int, searches: str) -> None:
    execute("UPDATE sessions SET searches = ? WHERE id = ?", (searches, session_id))


def searches_with(part: str) -> list[tuple[int, str]]:
    """(session, searches) of those with a text in them."""
    found = rows("SELECT id, searches FROM sessions WHERE instr(searches, ?) > 0 ORDER BY id", (part,))
    return [(int(session_id), str(searches)) for session_id, searches in found]


def delete(session_id: int, operator_id: int) -> bool:
    """False if the operator has no such session."""
    return bool(execute("DELETE FROM sessions WHERE id = ? AND operator_id = ?", (session_id, operator_id)))


def delete_sessions(operator_id: int) -> None:
    execute("DELETE FROM sessions WHERE operator_id = ?", (operator_id,))


def delete_of(operator_id: int) -> None:
    """All sessions and one-time links of an operator."""
    delete_sessions(operator_id)
    execute("DELETE FROM one_time_links WHERE operator_id = ?", (operator_id,))


def delete_all() -> None:
    """All sessions and one-time links."""
    execute("DELETE FROM sessions")
    execute("DELETE FROM one_time_links")


def delete_old(created_before: int, remembered_before: int, at: int) -> None:
    """Sessions created before an instant (`remembered_before` for remembered ones), and expired links."""
    execute(
        "DELETE FROM sessions WHERE created_at < CASE WHEN remembered THEN ? ELSE ? END",
        (remembered_before, created_before),
    )
    execute("DELETE FROM one_time_links WHERE expires_at <= ?", (at,))


def add_link(token_hash: str, operator_id: int | None, purpose: str, expires_at: int) -> None:
    OneTimeLinkModel.insert(
        token_hash=token_hash, operator=operator_id, purpose=purpose, expires_at=expires_at
    ).execute()


def get_link(token_hash: str) -> OneTimeLink | None:
    record = row(
        "SELECT id, operator_id, purpose, expires_at FROM one_time_links WHERE token_hash = ?", (token_hash,)
    )
    return record and OneTimeLink(*record)


def spend_link(link_id: int) -> None:
    execute("DELETE FROM one_time_links WHERE id = ?", (link_id,))


def delete_links_of(operator_id: int, purpose: str) -> None:
    execute("DELETE FROM one_time_links WHERE operator_id = ? AND purpose = ?", (operator_id, purpose))
