"""`audience key`: the keys of clients."""

import re
from types import MappingProxyType
from typing import Any

import click

from audience import clock
from audience.access import keys, sites
from audience.access.keys import PURPOSES, SCOPES, Key, NewKey
from audience.cli.instance import on_instance
from audience.cli.output import as_json, is_terminal, show
from audience.cli.wrong_calls import WholeNumber
from audience.config import Settings
from schemas.values import write_date

LINE = """{publishable_key}  {scope:<8} {state}
    {named}, created {created_at}, {used}"""
WITHOUT_SCOPE = (
    "Warning: without --scope, the key may do everything. Choose the smallest scope that is "
    "enough, such as read."
)
DURATION = re.compile(r"(\d{1,6})([smhd]?)")


@click.group()
def key() -> None:
    """Manage the keys with which clients authenticate."""


@key.command()
@click.option("--site", "names", multiple=True, metavar="SITE", help="Name or uuid of a site; repeatable.")
@click.option(
    "--scope",
    type=click.Choice(list(SCOPES)),
    help="What the key may do; without this option, the command asks on a terminal.",
)
@click.option("--name", default="", help="What the key is for, such as Shop.")
@as_json
@on_instance
def create(_: Settings, names: tuple[str, ...], scope: str | None, name: str, as_json: bool) -> None:
    """Create a key for one or more sites. The secret is shown once.

    Example: audience key create --site News --scope read --name "Monthly counts"
    """
    chosen = dict.fromkeys(map(sites.choose, names or (None,)))
    new = keys.create(list(chosen), scope or _ask_scope(), name)
    show(vars(new), as_json, _secret_lines(new))


def _ask_scope() -> str:
    """Asks what the key is for, and returns its scope; without a terminal, warns and returns `full`."""
    if not is_terminal():
        click.echo(WITHOUT_SCOPE, err=True)
        return "full"
    click.echo("What is the key for?", err=True)
    for number, purpose in enumerate(PURPOSES.values(), 1):
        click.echo(f"  {number}  {purpose}", err=True)
    number = click.prompt("Answer", type=WholeNumber(1, len(PURPOSES)), err=True)
    return [*PURPOSES][number - 1]


def _secret_lines(new: NewKey) -> list[str]:
    return [f"publishable_key  {new.publishable_key}", f"secret_key       {new.secret_key}"]


@key.command(name="list")
@click.option("--site", "name", metavar="SITE", help="Name or uuid of a site: list only its keys.")
@as_json
@on_instance
def list_keys(_: Settings, name: str | None, as_json: bool) -> None:
    """List the keys, without secrets.

    Example: audience key list
    """
    rows = [_key_values(row) for row in keys.list_all(sites.choose(name) if name else None)]
    show(rows, as_json, map(_line, rows))


def _line(row: dict[str, Any]) -> str:
    used = f"last used {row['last_used_at']}" if row["last_used_at"] else "never used"
    return LINE.format(**row, named=f"{row['name']} of {', '.join(row['sites'])}".strip(), used=used)


@key.command()
@click.argument("publishable_key")
@click.argument("name")
@as_json
@on_instance
def rename(_: Settings, publishable_key: str, name: str, as_json: bool) -> None:
    """Give a key a name that says what the key is for.

    Example: audience key rename pk_... Shop
    """
    keys.rename(publishable_key, name)
    show({"publishable_key": publishable_key, "name": name}, as_json, ["Renamed."])


def _state(row: Key) -> str:
    if row.revoked_at is not None:
        return f"revoked {write_date(row.revoked_at)}"
    if row.expires_at is not None:
        return (
            f"{'active until' if row.is_active(clock.now_ms()) else 'expired'} {write_date(row.expires_at)}"
        )
    return "active"


def _key_values(row: Key) -> dict[str, Any]:
    return {
        "publishable_key": row.publishable_key,
        "name": row.name,
        "sites": [site.name for site in keys.sites_of(row)],
        "scope": row.scope,
        "created_at": write_date(row.created_at),
        "last_used_at": write_date(row.last_used_at),
        "revoked_at": write_date(row.revoked_at),
        "expires_at": write_date(row.expires_at),
        "state": _state(row),
    }


class Duration(click.ParamType[int]):
    """A duration such as `90s`, `30m`, `24h` or `7d`, converted to milliseconds. Only 0 needs no unit."""

    name = "duration"
    UNITS = MappingProxyType({"": 1_000, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000})

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = DURATION.fullmatch(str(value))
        if match is None or (not match[2] and int(match[1])):
            self.fail("give a number and a unit, such as 90s, 30m, 24h or 7d", param, ctx)
        return int(match[1]) * self.UNITS[match[2]]


@key.command()
@click.argument("publishable_key")
@click.option(
    "--overlap", type=Duration(), default="0", help="How long the old key stays valid, such as 24h."
)
@as_json
@on_instance
def rotate(settings: Settings, publishable_key: str, overlap: int, as_json: bool) -> None:
    """Replace a key with a new one for the same sites and scope. The secret is shown once.

    Without --overlap, the old key stops working within a second.

    Example: audience key rotate pk_... --overlap 24h
    """
    new = keys.rotate(publishable_key, settings.instance, overlap)
    show(vars(new), as_json, _secret_lines(new))


@key.command()
@click.argument("publishable_key")
@as_json
@on_instance
def revoke(settings: Settings, publishable_key: str, as_json: bool) -> None:
    """Revoke a key. Requests with this key are refused within a second.

    Example: audience key revoke pk_...
    """
    keys.revoke(publishable_key, settings.instance)
    show({"revoked": publishable_key}, as_json, ["Revoked."])
