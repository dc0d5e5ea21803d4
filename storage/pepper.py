"""The check value of the pepper, in the database whose hashes the pepper has made."""

from storage import backups
from storage.database import database, row
from storage.models import PepperModel


def check_value() -> str | None:
    """None if there is none yet, as in older schemas."""
    record = row("SELECT check_value FROM pepper") if database.table_exists("pepper") else None
    return record and str(record[0])


def add_check_value(check_value: str) -> None:
    """Raises `Conflict` if there is one."""
    PepperModel.insert(id=1, check_value=check_value).execute()


def can_know() -> bool:
    """Whether the schema has what a check value is written with."""
    return bool(database.table_exists("pepper") and database.table_exists("instance_state"))


def is_in_use() -> bool:
    """Whether there is a check value, or a key was ever made, in older schemas, too."""
    if check_value() is not None:
        return True
    return database.table_exists("keys") and row("SELECT 1 FROM keys") is not None


def live_secret_hash(publishable_key: str, at: int) -> str | None:
    """None without such a key, or if it is revoked or expired; in older schemas, too."""
    for ended_key, revoked_at, expires_at in backups.ended_keys():
        if ended_key == publishable_key and (revoked_at is not None or (expires_at or 0) <= at):
            return None
    record = row("SELECT secret_hash FROM keys WHERE publishable_key = ?", (publishable_key,))
    return record and str(record[0])
