"""Carries operators over to a restored backup: who may sign in stays as it is now, and all sessions end."""

from dataclasses import dataclass

from storage.access import operators, sessions
from storage.access import sites as stored_sites
from storage.access.operators import ConsoleOperator


@dataclass(frozen=True)
class CarriedOperator:
    """An operator of the present instance; `roles` are by site uuid."""

    operator: ConsoleOperator
    roles: dict[str, str]


def read() -> list[CarriedOperator]:
    """The operators of the open database."""
    uuids = {site.id: site.uuid for site in stored_sites.list_all()}
    return [
        CarriedOperator(
            operator, {uuids[site_id]: role for site_id, role in operators.roles_of(operator.id).items()}
        )
        for operator in operators.list_all()
    ]


def apply(carried: list[CarriedOperator]) -> None:
    """Replaces the restored backup's operators by those carried over, if any. Ends all sessions and links."""
    sessions.delete_all()
    if not carried:
        return
    for restored in operators.list_all():
        operators.delete(id=restored.id)
    site_ids = {site.uuid: site.id for site in stored_sites.list_all()}
    for operator in carried:
        operator_id = operators.add_new(operator.operator)
        for uuid in operator.roles.keys() & site_ids.keys():
            operators.set_role(operator_id, site_ids[uuid], operator.roles[uuid])
