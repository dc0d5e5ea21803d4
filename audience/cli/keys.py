"""`audience key`: who may call, for which sites, and what."""

import json
from typing import Any

import click

from audience import first_site, sites
from audience.cli.instance import on_instance
from audience.config import Settings
from audience.sites import SCOPES, KeyRow
from schemas.wire import date


@click.group()
def key() -> None:
    """Keys: what clients authenticate with."""


@key.command()
@click.option("--site", "site_uuids", multiple=True, required=True, help="Uuid of a site; may be repeated.")
@click.option("--scope", type=click.Choice(list(SCOPES)), default="full", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@on_instance
def create(_: Settings, site_uuids: tuple[str, ...], scope: str, as_json: bool) -> None:
    """Create a key for one site or more. The secret is shown once.

    Example: audience key create --site 6f1c... --scope read
    """
    new = sites.create_key(list(dict.fromkeys(map(sites.named, site_uuids))), scope)
    if as_json:
        click.echo(json.dumps(vars(new)))
    else:
        click.echo(f"publishable_key  {new.publishable_key}\nsecret_key       {new.secret_key}")


@key.command(name="list")
@click.option("--site", "site_uuid", help="Only the keys that reach this site.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
@on_instance
def list_keys(_: Settings, site_uuid: str | None, as_json: bool) -> None:
    """List the keys, without their secrets.

    Example: audience key list
    """
    rows = [_shown(row) for row in sites.keys(sites.named(site_uuid) if site_uuid else None)]
    if as_json:
        click.echo(json.dumps(rows))
    for row in () if as_json else rows:
        state = f"revoked {row['revoked_at']}" if row["revoked_at"] else "good"
        click.echo(f"{row['publishable_key']}  {row['scope']:<8} {row['created_at']}  {state}")


def _shown(row: KeyRow) -> dict[str, Any]:
    return {
        "publishable_key": row.publishable_key,
        "scope": row.scope,
        "created_at": date(row.created_at),
        "revoked_at": date(row.revoked_at),
    }


@key.command()
@click.argument("publishable_key")
@on_instance
def revoke(settings: Settings, publishable_key: str) -> None:
    """Revoke a key: requests with it are refused from now on.

    Example: audience key revoke pk_...
    """
    first_site.revoke(settings.instance, publishable_key)
    click.echo("Revoked.")
