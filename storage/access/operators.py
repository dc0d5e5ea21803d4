"""Operators of the console, and their roles on sites."""

from typing import NamedTuple

from peewee import BigIntegerField, CompositeKey, ForeignKeyField, TextField

from storage.access.sites import SITES, Site
from storage.base_models import BaseModel, IdModel, SiteModel
from storage.database import rows, value
from storage.records import Records

OWNER = "owner"


class ConsoleOperator(NamedTuple):
    """An operator of the console, created at an instant in milliseconds. The first one is created without
    address and password: `email` and `password_hash` are empty until they are set.

    `two_factor` is what the secret of the two-factor sign-in is made from, with the pepper; it is empty while
    that is off. `code_step` is the 30-second step of the last code that counted. `recovery_codes` is JSON:
    the keyed hashes of those unused.
    """

    id: int
    email: str
    email_key: str | None
    created_at: int
    administrator: bool = False
    password_hash: str = ""
    two_factor: str = ""
    code_step: int = 0
    recovery_codes: str = "[]"


class OperatorModel(IdModel, table="operators", record=ConsoleOperator):
    """`last_site_id` is the id of the site that the operator used last, which may be deleted."""

    email_key = TextField(null=True, unique=True)
    last_site_id = BigIntegerField(null=True)


class OperatorRoleModel(BaseModel, table="operator_roles"):
    operator = ForeignKeyField(OperatorModel, on_delete="CASCADE")
    site = ForeignKeyField(SiteModel, on_delete="CASCADE", index=False)
    role = TextField()

    class Meta:
        primary_key = CompositeKey("site", "operator")


OPERATORS = Records(OperatorModel, ConsoleOperator)
add, add_new, delete, get = OPERATORS.add, OPERATORS.add_new, OPERATORS.delete, OPERATORS.get


def list_all() -> list[ConsoleOperator]:
    """All operators, oldest first."""
    return OPERATORS.find("ORDER BY id")


def set_email(operator_id: int, email: str, email_key: str) -> None:
    OPERATORS.change({"email": email, "email_key": email_key}, id=operator_id)


def set_password_hash(operator_id: int, password_hash: str) -> None:
    OPERATORS.change({"password_hash": password_hash}, id=operator_id)


def set_two_factor(operator: ConsoleOperator, two_factor: str, code_step: int, recovery_codes: str) -> bool:
    """Sets what codes are checked against. Returns False if that was changed since `operator` was read."""
    return OPERATORS.change(
        {"two_factor": two_factor, "code_step": code_step, "recovery_codes": recovery_codes},
        id=operator.id, two_factor=operator.two_factor, code_step=operator.code_step,
        recovery_codes=operator.recovery_codes,
    ) > 0  # fmt: skip


def end_two_factor(operator_id: int) -> None:
    OPERATORS.change({"two_factor": "", "code_step": 0, "recovery_codes": "[]"}, id=operator_id)


def set_administrator(operator_id: int, administrator: bool) -> None:
    OPERATORS.change({"administrator": administrator}, id=operator_id)


def last_site(operator_id: int) -> int | None:
    """The id of the site that the operator used last, which may be deleted."""
    return value("SELECT last_site_id FROM operators WHERE id = ?", (operator_id,), None)


def put_last_site(operator_id: int, site_id: int) -> None:
    OPERATORS.change({"last_site_id": site_id}, id=operator_id)


def set_role(operator_id: int, site_id: int, role: str) -> None:
    OperatorRoleModel.insert(operator=operator_id, site=site_id, role=role).on_conflict(
        conflict_target=[OperatorRoleModel.site, OperatorRoleModel.operator],
        preserve=[OperatorRoleModel.role],
    ).execute()


def delete_role(operator_id: int, site_id: int) -> None:
    OperatorRoleModel.delete().where(
        OperatorRoleModel.operator == operator_id, OperatorRoleModel.site == site_id
    ).execute()


def delete_roles_on(site_id: int) -> None:
    OperatorRoleModel.delete().where(OperatorRoleModel.site == site_id).execute()


def roles_of(operator_id: int) -> dict[int, str]:
    """The roles of an operator, by the site's id."""
    return dict(rows("SELECT site_id, role FROM operator_roles WHERE operator_id = ?", (operator_id,)))


def roles_on(site_id: int) -> dict[int, str]:
    """The roles on a site, by the operator's id."""
    return dict(rows("SELECT operator_id, role FROM operator_roles WHERE site_id = ?", (site_id,)))


def sites_of(operator_id: int) -> list[Site]:
    """The sites on which an operator has a role, oldest first."""
    of_operator = "SELECT site_id FROM operator_roles WHERE operator_id = ?"
    return SITES.find(f"WHERE id IN ({of_operator}) ORDER BY id", operator_id)
