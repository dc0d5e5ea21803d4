"""The check value of the pepper, stored in the database whose hashes were made with that pepper."""

from storage.database import database, row, value
from storage.models import PepperModel


def check_value() -> str | None:
    """The check value of the pepper; None without one."""
    return value("SELECT check_value FROM pepper", (), None) if has_table() else None


def add_check_value(check_value: str) -> None:
    """Stores the check value of the pepper. Raises `Conflict` if there is one."""
    PepperModel.insert(id=1, check_value=check_value).execute()


def has_table() -> bool:
    """Whether the database has the table for the check value."""
    return bool(database.table_exists("pepper"))


def is_in_use() -> bool:
    """Whether the database has a check value, or any API key, active or not."""
    if check_value() is not None:
        return True
    return database.table_exists("keys") and row("SELECT 1 FROM keys") is not None
