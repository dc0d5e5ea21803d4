"""Operators of the console, and their roles on sites."""

from typing import NamedTuple

from storage.access.models import OperatorModel
from storage.access.sites import Site
from storage.database import execute, row, rows

COLUMNS = "id, email, email_key, password_hash, administrator, created_at"
OWNER = "owner"


class ConsoleOperator(NamedTuple):
    """`email` and `password_hash` are empty until they are set; `created_at` is in milliseconds."""

    id: int
    email: str
    email_key: str | None
    password_hash: str
    administrator: bool
    created_at: int


def add(email: str, email_key: str | None, administrator: bool, at: int) -> int:
    operator_id: int = OperatorModel.insert(
        email=email, email_key=email_key, administrator=administrator, created_at=at
    ).execute()
    return operator_id


def get(operator_id: int) -> ConsoleOperator | None:
    return _operator(row(f"SELECT {COLUMNS} FROM operators WHERE id = ?", (operator_id,)))


def get_by_key(email_key: str) -> ConsoleOperator | None:
    return _operator(row(f"SELECT {COLUMNS} FROM operators WHERE email_key = ?", (email_key,)))


def list_all() -> list[ConsoleOperator]:
    """Oldest first."""
    return [ConsoleOperator(*record) for record in rows(f"SELECT {COLUMNS} FROM operators ORDER BY id")]


def _operator(record: tuple[int, str, str | None, str, bool, int] | None) -> ConsoleOperator | None:
    return ConsoleOperator(*record) if record else None


def set_email(operator_id: int, email: str, email_key: str) -> None:
    execute("UPDATE operators SET email = ?, email_key = ? WHERE id = ?", (email, email_key, operator_id))


def set_password_hash(operator_id: int, password_hash: str) -> None:
    execute("UPDATE operators SET password_hash = ? WHERE id = ?", (password_hash, operator_id))


def set_administrator(operator_id: int, administrator: bool) -> None:
    execute("UPDATE operators SET administrator = ? WHERE id = ?", (administrator, operator_id))


def last_site(operator_id: int) -> int | None:
    """The id of the site used last, which may be gone."""
    return row("SELECT last_site_id FROM operators WHERE id = ?", (operator_id,))[0]  # type: ignore[no-any-return]


def put_last_site(operator_id: int, site_id: int) -> None:
    execute("UPDATE operators SET last_site_id = ? WHERE id = ?", (site_id, operator_id))


def delete(operator_id: int) -> None:
    """With roles, sessions and one-time links."""
    execute("DELETE FROM operators WHERE id = ?", (operator_id,))


def set_role(operator_id: int, site_id: int, role: str) -> None:
    execute(
        "INSERT INTO operator_roles (operator_id, site_id, role) VALUES (?, ?, ?) "
        "ON CONFLICT (site_id, operator_id) DO UPDATE SET role = excluded.role",
        (operator_id, site_id, role),
    )


def delete_role(operator_id: int, site_id: int) -> None:
    execute("DELETE FROM operator_roles WHERE operator_id = ? AND site_id = ?", (operator_id, site_id))


def roles_of(operator_id: int) -> dict[int, str]:
    """The role on each site, by the site's id."""
    return dict(rows("SELECT site_id, role FROM operator_roles WHERE operator_id = ?", (operator_id,)))


def roles_on(site_id: int) -> dict[int, str]:
    """The role of each operator on a site, by the operator's id."""
    return dict(rows("SELECT operator_id, role FROM operator_roles WHERE site_id = ?", (site_id,)))


def sites_of(operator_id: int) -> list[Site]:
    """The sites that an operator has a role on, oldest first."""
    records = rows(
        "SELECT s.id, s.uuid, s.name, s.time_zone, s.created_at FROM operator_roles o "
        "JOIN sites s ON s.id = o.site_id "
        "WHERE o.operator_id = ? ORDER BY s.id",
        (operator_id,),
    )
    return [Site(*record) for record in records]
