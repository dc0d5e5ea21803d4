"""`audience key`: the keys of clients."""

import re
from types import MappingProxyType
from typing import Any

import click

from audience import clock, keys, sites
from audience.cli.instance import on_instance
from audience.cli.output import as_json, show
from audience.config import Settings
from audience.keys import SCOPES, Key, NewKey
from schemas.values import write_date

DURATION = re.compile(r"(\d{1,6})([smhd]?)")


@click.group()
def key() -> None:
    """Keys, with which clients authenticate."""


@key.command()
@click.option("--site", "site_uuids", multiple=True, required=True, help="Uuid of a site; repeatable.")
@click.option("--scope", type=click.Choice(list(SCOPES)), default="full", show_default=True)
@as_json
@on_instance
def create(_: Settings, site_uuids: tuple[str, ...], scope: str, as_json: bool) -> None:
    """Create a key for one or more sites. The secret is shown once.

    Example: audience key create --site 6f1c... --scope read
    """
    new = keys.create(list(dict.fromkeys(map(sites.get_by_uuid, site_uuids))), scope)
    show(vars(new), as_json, _once(new))


def _once(new: NewKey) -> list[str]:
    return [f"publishable_key  {new.publishable_key}", f"secret_key       {new.secret_key}"]


@key.command(name="list")
@click.option("--site", "site_uuid", help="Uuid of a site: list only its keys.")
@as_json
@on_instance
def list_keys(_: Settings, site_uuid: str | None, as_json: bool) -> None:
    """List the keys, without secrets.

    Example: audience key list
    """
    rows = [_shown(row) for row in keys.list_all(sites.get_by_uuid(site_uuid) if site_uuid else None)]
    show(
        rows,
        as_json,
        [f"{row['publishable_key']}  {row['scope']:<8} {row['created_at']}  {row['state']}" for row in rows],
    )


def _state(row: Key) -> str:
    if row.revoked_at is not None:
        return f"revoked {write_date(row.revoked_at)}"
    if row.expires_at is not None:
        return (
            f"{'active until' if row.is_active(clock.now_ms()) else 'expired'} {write_date(row.expires_at)}"
        )
    return "active"


def _shown(row: Key) -> dict[str, Any]:
    return {
        "publishable_key": row.publishable_key,
        "scope": row.scope,
        "created_at": write_date(row.created_at),
        "revoked_at": write_date(row.revoked_at),
        "expires_at": write_date(row.expires_at),
        "state": _state(row),
    }


class Duration(click.ParamType[int]):
    """A duration such as `90s`, `30m`, `24h` or `7d`, in milliseconds."""

    name = "duration"
    UNITS = MappingProxyType({"": 1_000, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000})

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = DURATION.fullmatch(str(value))
        if match is None:
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

    Without --overlap the old key is refused immediately.

    Example: audience key rotate pk_... --overlap 24h
    """
    new = keys.rotate(publishable_key, settings.instance, overlap)
    show(vars(new), as_json, _once(new))


@key.command()
@click.argument("publishable_key")
@as_json
@on_instance
def revoke(settings: Settings, publishable_key: str, as_json: bool) -> None:
    """Revoke a key: requests with it are refused immediately.

    Example: audience key revoke pk_...
    """
    keys.revoke(publishable_key, settings.instance)
    show({"revoked": publishable_key}, as_json, ["Revoked."])
