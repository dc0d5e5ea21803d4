"""`audience operator` and `audience console`: who may sign in to the console, and links that sign in."""

from typing import Any

import click

from audience.access import operators, sessions, sign_in, sites
from audience.access.audit_log import COMMAND_LINE
from audience.access.operators import ROLES, ConsoleOperator
from audience.cli.instance import on_instance
from audience.cli.output import as_json, show
from audience.config import Settings
from schemas.values import write_date

NEW_OPERATOR = "Give this link to {email}. It works once, within 3 days, to set a password."
SIGN_IN = "Open it in a browser within 15 minutes. It works once."


@click.command()
@click.option("--as", "email", metavar="EMAIL", help="Address of the operator to sign in as.")
@as_json
@on_instance
def console(settings: Settings, email: str | None, as_json: bool) -> None:
    """Print a one-time link to the console, which sets up the first operator or signs one in.

    Example: audience console --as ann@example.com
    """
    link = sessions.link(settings.console_url, *sign_in.console_link(email))
    show({"link": link}, as_json, [link, SIGN_IN])


@click.group()
def operator() -> None:
    """Manage the operators, who sign in to the console."""


@operator.command()
@click.argument("email")
@click.option(
    "--administrator", is_flag=True, help="Make the operator an administrator of the whole instance."
)
@click.option("--site", metavar="SITE", help="Name or uuid of a site to give a role on.")
@click.option("--role", type=click.Choice(ROLES), default="viewer", show_default=True)
@as_json
@on_instance
def add(
    settings: Settings, email: str, administrator: bool, site: str | None, role: str, as_json: bool
) -> None:
    """Add an operator, and print a one-time link to set a password.

    Example: audience operator add ann@example.com --site 6f1c... --role manager
    """
    roles = {sites.choose(site): role} if site else {}
    _show_link(settings, email, operators.add(email, administrator, roles, COMMAND_LINE), as_json)


@operator.command(name="list")
@as_json
@on_instance
def list_operators(_: Settings, as_json: bool) -> None:
    """List the operators with their roles.

    Example: audience operator list
    """
    names = {site.id: site.uuid for site in sites.list_all()}
    rows = [_operator_values(operator, {names[site_id]: role for site_id, role in roles.items()})
            for operator, roles in operators.list_all()]  # fmt: skip
    show(rows, as_json, [_line(row) for row in rows])


def _operator_values(operator: ConsoleOperator, roles: dict[str, str]) -> dict[str, Any]:
    return {
        "email": operator.email,
        "administrator": bool(operator.administrator),
        "has_password": bool(operator.password_hash),
        "has_two_factor": bool(operator.two_factor),
        "created_at": write_date(operator.created_at),
        "roles": roles,
    }


def _line(row: dict[str, Any]) -> str:
    roles = [f"{role} of {site_uuid}" for site_uuid, role in row["roles"].items()]
    labels = [*(["administrator"] if row["administrator"] else []), *roles]
    ending = "; two-factor sign-in" if row["has_two_factor"] else ""
    return f"{row['email'] or '(the first operator)'}  {', '.join(labels) or 'no role'}{ending}"


@operator.command(name="role")
@click.argument("email")
@click.argument("role", type=click.Choice(["none", *ROLES, "administrator"]))
@click.option(
    "--site", metavar="SITE", help="Name or uuid of the site; without it, the role is for the whole instance."
)
@as_json
@on_instance
def set_role(_: Settings, email: str, role: str, site: str | None, as_json: bool) -> None:
    """Give or remove a role. With --site, the role is for that site; without, choose `administrator` or
    `none` for the whole instance.

    Example: audience operator role ann@example.com owner --site 6f1c...
    """
    if (site is None) != (role == "administrator") and role != "none":
        raise click.UsageError(
            "Add --site to give a role on a site. Leave --site out to make an administrator."
        )
    if site is None:
        operators.set_administrator(email, role == "administrator", COMMAND_LINE)
    else:
        operators.set_role(email, sites.choose(site), None if role == "none" else role, COMMAND_LINE)
    show({"email": email, "role": role}, as_json, ["Done; the operator's sessions have ended."])


@operator.command()
@click.argument("email")
@as_json
@on_instance
def reset(settings: Settings, email: str, as_json: bool) -> None:
    """Delete an operator's password, end the sessions, and print a one-time link to set a new password.

    Example: audience operator reset ann@example.com
    """
    _show_link(settings, email, operators.reset(email, COMMAND_LINE), as_json)


@operator.command(name="reset-2fa")
@click.argument("email")
@as_json
@on_instance
def reset_two_factor(_: Settings, email: str, as_json: bool) -> None:
    """Turn off an operator's two-factor sign-in, and end the sessions. The operator then signs in with the
    password alone.

    Example: audience operator reset-2fa ann@example.com
    """
    operators.reset_two_factor(email, COMMAND_LINE)
    show(
        {"email": email, "has_two_factor": False},
        as_json,
        ["Two-factor sign-in is off; the operator's sessions have ended."],
    )


@operator.command()
@click.argument("email")
@as_json
@on_instance
def remove(_: Settings, email: str, as_json: bool) -> None:
    """Remove an operator. The operator's sessions end at once; the audit log keeps the name.

    Example: audience operator remove ann@example.com
    """
    operators.remove(email, COMMAND_LINE)
    show({"removed": email}, as_json, ["Removed."])


def _show_link(settings: Settings, email: str, token: str, as_json: bool) -> None:
    link = sessions.link(settings.console_url, sessions.PASSWORD, token)
    show({"email": email, "link": link}, as_json, [link, NEW_OPERATOR.format(email=email)])
