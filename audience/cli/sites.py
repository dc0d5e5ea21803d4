"""`audience site`: sites, and their lists of addresses."""

from typing import Any, BinaryIO

import click

from audience.access import address_lists, keys, operators, sites
from audience.access.address_lists import Kind
from audience.access.audit_log import COMMAND_LINE
from audience.access.keys import NewKey
from audience.access.sites import Site
from audience.cli.instance import on_instance, on_new_instance, site_argument, with_options
from audience.cli.output import as_json, counted, show
from audience.cli.progress import ShownProgress
from audience.config import Settings
from audience.errors import NotFound
from audience.links import generations
from audience.looks import looks, senders
from audience.subscribers import stats
from audience.subscribers.stats import Counts

REVOKE = "Links in emails that {} has sent will no longer unsubscribe anybody. Revoke all links?"
REVOKED = "All links made before now are revoked. Put new links into your emails."
ROTATED = "Done. Old unsubscribe links still work. Old preferences links now only unsubscribe."
PAGES = {  # the fields of a look and a sender: how they are written, and what they are
    "name": ("NAME", "Public name, shown on the pages and in the emails."),
    "home": ("URL", "Home page."),
    "imprint": ("URL", "URL of the imprint; a German form needs one."),
    "privacy": ("URL", "URL of the privacy page; every form needs one."),
    "language": ("LANGUAGE", "Language for readers whose own is unknown: en, de, es, fr, it, nl, pt."),
    "accent": ("COLOUR", "Accent colour, such as #1d4f80."),
    "base_url": ("URL", "URL of the pages: another name of this host."),
    "mail_from": ("ADDRESS", "From address of the emails."),
    "mail_name": ("NAME", "From name; by default, the public name."),
    "reply_to": ("ADDRESS", "Address for replies; by default, the From address."),
}
NO_OWNER = "nobody yet: `audience console` creates the first operator, who owns all sites"


@click.group()
def site() -> None:
    """Sites, each with its own subscribers, fields, tags and keys."""


@site.command()
@click.argument("name")
@click.option("--time-zone", default="UTC", show_default=True, help="Time zone of the days in reports.")
@click.option(
    "--owner",
    metavar="EMAIL",
    help="Operator who owns the site in the console, instead of all administrators.",
)
@as_json
@on_new_instance
def create(settings: Settings, name: str, time_zone: str, owner: str | None, as_json: bool) -> None:
    """Create a site, and a key with the scope full. The secret is shown once.

    In the console, all administrators own the site, or the operator of --owner.

    Example: audience site create "My newsletter" --owner ann@example.com
    """
    owner_id = operators.get(owner).id if owner else None
    new = sites.create(name, time_zone)
    operators.add_owners(new, COMMAND_LINE, owner_id)
    show_keys(settings, new, keys.create([new]), as_json)


def show_keys(settings: Settings, site: Site, key: NewKey, as_json: bool) -> None:
    """Prints the service's URL, a site's uuid, its new key (named as in `first-site.json`) and its owners."""
    shown = {
        "base_url": settings.base_url,
        "site_uuid": site.uuid,
        "publishable_key": key.publishable_key,
        "secret_key": key.secret_key,
    }
    owners = operators.owners(site)
    lines = [f"{label:<16} {value}" for label, value in shown.items()]
    names, console_url = ", ".join(owners) or NO_OWNER, f"{settings.console_url}/console/sites/{site.uuid}"
    lines += [f"{'owners':<16} {names}", f"{'console_url':<16} {console_url}"]
    show(shown | {"owners": owners, "console_url": console_url}, as_json, lines)


@site.command(name="list")
@as_json
@on_instance
def list_sites(_: Settings, as_json: bool) -> None:
    """List the sites with their numbers of subscribers.

    Example: audience site list
    """
    listed = stats.for_each(sites.list_all())
    rows = [_values(site, counts) for site, counts in listed]
    lines = [f"{site.uuid}  {site.name}  {_words(counts)}" for site, counts in listed]
    show(rows, as_json, lines)


def _values(site: Site, counts: Counts | None) -> dict[str, Any]:
    return {
        "site_uuid": site.uuid,
        "name": site.name,
        "time_zone": site.time_zone,
        "user_count": counts and counts.users,
        "subscriber_count": counts and counts.subscribers,
    }


def _words(counts: Counts | None) -> str:
    return counted(counts.users, "subscriber") if counts else "no answer"


@site.command()
@site_argument
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@as_json
@on_instance
def delete(settings: Settings, site: Site, yes: bool, as_json: bool) -> None:
    """Delete a site with its subscribers, events, imports and lists, and the keys that are for no other site.
    If the command is interrupted, run it again to continue.

    Example: audience site delete 6f1c...
    """
    if not yes:
        subscribers = stats.for_site(site).users
        click.confirm(
            f"Delete the site {site.name} and its {counted(subscribers, 'subscriber')}?", abort=True, err=True
        )
    with ShownProgress() as progress:
        deleted = sites.delete(site, settings.instance, progress)
    lines = [f"Deleted {counted(deleted.rows, 'row')}; revoked {counted(len(deleted.keys), 'key')}."]
    if not deleted.clean:
        lines.append("The database was in use: the worker removes the last traces as soon as it can.")
    show(vars(deleted), as_json, lines)


@site.command()
@site_argument
@click.argument("entries", nargs=-1, required=True)
@as_json
@on_instance
def allow(_: Settings, site: Site, entries: tuple[str, ...], as_json: bool) -> None:
    """Add e-mail addresses or domains that always pass validation.

    Example: audience site allow 6f1c... partner.example ann@example.com
    """
    put(site, "allow", entries, as_json)


@site.command()
@site_argument
@click.argument("entries", nargs=-1, required=True)
@as_json
@on_instance
def deny(_: Settings, site: Site, entries: tuple[str, ...], as_json: bool) -> None:
    """Add e-mail addresses or domains that never pass validation.

    Example: audience site deny 6f1c... spam.example
    """
    put(site, "deny", entries, as_json)


def put(site: Site, kind: Kind, entries: tuple[str, ...], as_json: bool) -> None:
    """Adds entries to a list of the site; with `as_json`, prints its lists."""
    for entry in entries:
        address_lists.add(site, kind, entry)
    show(vars(address_lists.for_site(site)), as_json, [])


@site.command()
@site_argument
@click.argument("entries", nargs=-1, required=True)
@as_json
@on_instance
def unlist(_: Settings, site: Site, entries: tuple[str, ...], as_json: bool) -> None:
    """Remove e-mail addresses or domains from both lists of a site.

    Example: audience site unlist 6f1c... partner.example
    """
    for entry in entries:
        if not address_lists.remove(site, entry):
            raise NotFound("The entry is on neither list: `audience site lists` shows both.")
    show(vars(address_lists.for_site(site)), as_json, [])


@site.command()
@site_argument
@as_json
@on_instance
def lists(_: Settings, site: Site, as_json: bool) -> None:
    """Show the lists of a site.

    Example: audience site lists 6f1c...
    """
    shown = vars(address_lists.for_site(site))
    show(
        shown,
        as_json,
        [f"{kind:<6} {entry}" for kind, entries in shown.items() for entry in entries],
    )


@site.command()
@site_argument
@click.argument("name")
@as_json
@on_instance
def time_zone(_: Settings, site: Site, name: str, as_json: bool) -> None:
    """Set the time zone of a site's reports, files and segments, such as Europe/Berlin.

    Example: audience site time-zone 6f1c... Europe/Berlin
    """
    sites.set_time_zone(site, name)
    show({"time_zone": name}, as_json, ["Set."])


@site.command()
@site_argument
@click.argument("name")
@as_json
@on_instance
def rename(_: Settings, site: Site, name: str, as_json: bool) -> None:
    """Rename a site.

    Example: audience site rename 6f1c... "The weekly letter"
    """
    sites.rename(site, name)
    show({"site_uuid": site.uuid, "name": name}, as_json, ["Renamed."])


@site.command()
@site_argument
@with_options(
    [
        click.option(f"--{name.replace('_', '-')}", metavar=kind, help=text)
        for name, (kind, text) in PAGES.items()
    ]
)
@click.option("--logo", type=click.File("rb"), help="PNG, JPEG or WebP, up to 64 KB.")
@click.option("--no-logo", is_flag=True, help="Remove the logo.")
@as_json
@on_instance
def pages(
    settings: Settings, site: Site, logo: BinaryIO | None, no_logo: bool, as_json: bool, **typed: str | None
) -> None:
    """Show or set how the pages for people look, and who the emails are from. "" removes a value.

    Example: audience site pages 6f1c... --name "Harbour Letters" --privacy https://harbour.example/privacy
    """
    sent = {name: value.strip() for name, value in typed.items() if value is not None}
    if sent or logo or no_logo:
        values = {name: getattr(looks.get(site), name) for name in PAGES} | sent
        picture = logo.read() if logo else b""
        senders.change_with_look(site, values, picture, no_logo, True, COMMAND_LINE, settings.base_url)
    look = looks.get(site)
    shown = {name: getattr(look, name) for name in PAGES}
    shown |= {"has_logo": bool(look.logo_hash), "lack": senders.obstacle(site, settings)}
    lines = [f"{name:<10} {shown[name] or 'none'}" for name in PAGES]
    logo_line = f"{'logo':<10} {'yes' if look.logo_hash else 'none'}"
    show(shown, as_json, [*lines, logo_line, *filter(None, [shown["lack"]])])


@site.group()
def links() -> None:
    """The links of a site's subscribers: unsubscribe and preferences."""


@links.command()
@site_argument
@click.option(
    "--revoke", is_flag=True, help="Revoke all links made before now: the links in sent emails stop working."
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@as_json
@on_instance
def rotate(_: Settings, site: Site, revoke: bool, yes: bool, as_json: bool) -> None:
    """Sign new links with another key. Old unsubscribe links keep working, unless they are revoked.

    Example: audience site links rotate 6f1c...
    """
    if revoke and not yes:
        click.confirm(REVOKE.format(site.name), abort=True, err=True)
    generation = generations.rotate(site, revoke)
    show({"generation": generation, "revoked": revoke}, as_json, [REVOKED if revoke else ROTATED])
