"""`audience key`: who may call, for which sites, and what."""

import re
from types import MappingProxyType
from typing import Any

import click

from audience import clock, first_site, sites
from audience.cli.instance import on_instance
from audience.cli.output import as_json, show
from audience.config import Settings
from audience.sites import SCOPES, KeyRow, NewKey
from schemas.wire import date


@click.group()
def key() -> None:
    """Keys: what clients authenticate with."""


@key.command()
@click.option("--site", "site_uuids", multiple=True, required=True, help="Uuid of a site; may be repeated.")
@click.option("--scope", type=click.Choice(list(SCOPES)), default="full", show_default=True)
@as_json
@on_instance
def create(_: Settings, site_uuids: tuple[str, ...], scope: str, as_json: bool) -> None:
    """Create a key for one site or more. The secret is shown once.

    Example: audience key create --site 6f1c... --scope read
    """
    new = sites.create_key(list(dict.fromkeys(map(sites.named, site_uuids))), scope)
    show(vars(new), as_json, _once(new))


def _once(new: NewKey) -> list[str]:
    return [f"publishable_key  {new.publishable_key}", f"secret_key       {new.secret_key}"]


@key.command(name="list")
@click.option("--site", "site_uuid", help="Only the keys that reach this site.")
@as_json
@on_instance
def list_keys(_: Settings, site_uuid: str | None, as_json: bool) -> None:
    """List the keys, without their secrets.

    Example: audience key list
    """
    rows = [_shown(row) for row in sites.keys(sites.named(site_uuid) if site_uuid else None)]
    show(
        rows,
        as_json,
        [f"{row['publishable_key']}  {row['scope']:<8} {row['created_at']}  {row['state']}" for row in rows],
    )


def _state(row: KeyRow) -> str:
    if row.revoked_at is not None:
        return f"revoked {date(row.revoked_at)}"
    if row.expires_at is not None:
        return f"{'good until' if row.good(clock.now()) else 'ended'} {date(row.expires_at)}"
    return "good"


def _shown(row: KeyRow) -> dict[str, Any]:
    return {
        "publishable_key": row.publishable_key,
        "scope": row.scope,
        "created_at": date(row.created_at),
        "revoked_at": date(row.revoked_at),
        "expires_at": date(row.expires_at),
        "state": _state(row),
    }


class Span(click.ParamType[int]):
    """A length of time such as `90s`, `30m`, `24h` or `7d`, in milliseconds."""

    name = "span"
    UNITS = MappingProxyType({"": 1_000, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000})

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = re.fullmatch(r"(\d{1,6})([smhd]?)", str(value))
        if found is None:
            self.fail("give a number and a unit, such as 90s, 30m, 24h or 7d", param, ctx)
        return int(found[1]) * self.UNITS[found[2]]


@key.command()
@click.argument("publishable_key")
@click.option("--overlap", type=Span(), default="0", help="How long the old key stays good, such as 24h.")
@as_json
@on_instance
def rotate(settings: Settings, publishable_key: str, overlap: int, as_json: bool) -> None:
    """Replace a key by a new one for the same sites and scope. The secret is shown once.

    Without --overlap the old key is refused from now on.

    Example: audience key rotate pk_... --overlap 24h
    """
    new = first_site.rotate(settings.instance, publishable_key, overlap)
    show(vars(new), as_json, _once(new))


@key.command()
@click.argument("publishable_key")
@as_json
@on_instance
def revoke(settings: Settings, publishable_key: str, as_json: bool) -> None:
    """Revoke a key: requests with it are refused from now on.

    Example: audience key revoke pk_...
    """
    first_site.revoke(settings.instance, publishable_key)
    show({"revoked": publishable_key}, as_json, ["Revoked."])
