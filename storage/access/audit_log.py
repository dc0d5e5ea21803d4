"""The audit log: who changed what. Instants are in milliseconds."""

from collections.abc import Mapping
from typing import NamedTuple

from peewee import ForeignKeyField, TextField

from storage.base_models import IdModel, SiteModel
from storage.database import execute, row, value
from storage.engines.chosen import engine
from storage.records import Records


class AuditEntry(NamedTuple):
    """An entry of the audit log. `subject` is a uuid, a name or a keyed hash.

    `typed` is JSON: filter values. `subjects` is the number of subscribers or rows.
    """

    id: int
    actor: str
    act: str
    subject: str
    subjects: int
    typed: str
    client_network: str
    at: int


class AuditLogModel(IdModel, table="audit_log", record=AuditEntry):
    """Without a site, an entry is about the instance."""

    site = ForeignKeyField(SiteModel, null=True, on_delete="CASCADE", index=False)
    typed = TextField()

    class Meta:
        indexes = ((("site", "id"), False), (("site", "subject"), False), (("at",), False))


AuditLogModel.add_index(
    AuditLogModel.index(AuditLogModel.site, where=AuditLogModel.typed != "{}", name="audit_log_typed")
)
ENTRIES = Records(AuditLogModel, AuditEntry)


def add(
    site_id: int | None,
    actor: str,
    action: str,
    subject: str,
    subjects: int,
    typed: str,
    client_network: str,
    at: int,
) -> None:
    """Adds an entry to the audit log of a site or, with None, of the instance. `typed` is JSON."""
    ENTRIES.add_new(AuditEntry(0, actor, action, subject, subjects, typed, client_network, at), site=site_id)


def page(site_id: int | None, before: int, limit: int) -> list[AuditEntry]:
    """The newest entries with an id below `before`, of a site or, with None, of the instance."""
    newest = "AND id < ? ORDER BY id DESC LIMIT ?"
    if site_id is None:
        return ENTRIES.find(f"WHERE site_id IS NULL {newest}", before, limit)
    return ENTRIES.find(newest, before, limit, site_id=site_id)


def of_subject(site_id: int, subject: str, limit: int) -> list[AuditEntry]:
    """The newest entries of a site about a subject."""
    return ENTRIES.find("ORDER BY id DESC LIMIT ?", limit, site_id=site_id, subject=subject)


def count_since(site_id: int, action: str, since: int) -> int:
    """The number of entries of a site with this action since an instant."""
    query = "SELECT COUNT(*) FROM audit_log WHERE site_id = ? AND act = ? AND at > ?"
    return value(query, (site_id, action, since), 0)


def erase(site_id: int, hashes: Mapping[str, str]) -> None:
    """Replaces the uuids of erased subscribers in the audit log by keyed hashes of their addresses."""
    for (uuid,) in ENTRIES.select("DISTINCT subject", site_id=site_id, subject=engine.among(hashes)):
        ENTRIES.change({"subject": hashes[uuid]}, site_id=site_id, subject=uuid)


def forget_search_texts(site_id: int) -> None:
    """Removes the filter values that operators typed from all entries of a site."""
    execute("UPDATE audit_log SET typed = '{}' WHERE site_id = ? AND typed <> '{}'", (site_id,))


def any_before(before: int) -> bool:
    """Whether any entry is older than an instant."""
    return row("SELECT 1 FROM audit_log WHERE at < ? LIMIT 1", (before,)) is not None


def delete_old(before: int, limit: int) -> int:
    """Deletes up to `limit` entries that are older than an instant. Returns how many."""
    return execute(
        "DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at < ? ORDER BY at LIMIT ?)",
        (before, limit),
    )
