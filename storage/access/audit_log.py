"""The audit log: who changed what. Instants are in milliseconds."""

from collections.abc import Mapping
from typing import NamedTuple

from storage.database import execute, marks, row, rows

COLUMNS = "actor, act, subject, subjects, typed, client_network, at"


class AuditEntry(NamedTuple):
    """`subject` is a uuid, a name or a keyed hash; `subjects` is how many; `typed` is JSON."""

    id: int
    actor: str
    act: str
    subject: str
    subjects: int
    typed: str
    client_network: str
    at: int


def add(
    site_id: int | None,
    actor: str,
    act: str,
    subject: str,
    subjects: int,
    typed: str,
    client_network: str,
    at: int,
) -> None:
    execute(
        f"INSERT INTO audit_log (site_id, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (site_id, actor, act, subject, subjects, typed, client_network, at),
    )


def page(site_id: int | None, before: int, limit: int) -> list[AuditEntry]:
    """The newest entries with an id below `before`, of a site or, without one, of the instance."""
    where, parameters = ("site_id IS NULL", []) if site_id is None else ("site_id = ?", [site_id])
    records = rows(
        f"SELECT id, {COLUMNS} FROM audit_log WHERE {where} AND id < ? ORDER BY id DESC LIMIT ?",
        [*parameters, before, limit],
    )
    return [AuditEntry(*record) for record in records]


def of_subject(site_id: int, subject: str, limit: int) -> list[AuditEntry]:
    """The newest entries on a subject."""
    records = rows(
        f"SELECT id, {COLUMNS} FROM audit_log WHERE site_id = ? AND subject = ? ORDER BY id DESC LIMIT ?",
        (site_id, subject, limit),
    )
    return [AuditEntry(*record) for record in records]


def erase(site_id: int, hashes: Mapping[str, str]) -> None:
    """Replaces subscribers' uuids by the keyed hashes of their addresses, those few whom it names."""
    uuids = list(hashes)
    named = rows(
        f"SELECT DISTINCT subject FROM audit_log WHERE site_id = ? AND subject IN ({marks(uuids)})",
        [site_id, *uuids],
    )
    for (uuid,) in named:
        execute(
            "UPDATE audit_log SET subject = ? WHERE site_id = ? AND subject = ?",
            (hashes[uuid], site_id, uuid),
        )


def forget_typed(site_id: int) -> None:
    execute("UPDATE audit_log SET typed = '{}' WHERE site_id = ? AND typed <> '{}'", (site_id,))


def any_before(before: int) -> bool:
    return row("SELECT 1 FROM audit_log WHERE at < ? LIMIT 1", (before,)) is not None


def delete_old(before: int, limit: int) -> int:
    """Deletes up to `limit` entries from before an instant; returns how many."""
    return execute(
        "DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at < ? ORDER BY at LIMIT ?)",
        (before, limit),
    )
