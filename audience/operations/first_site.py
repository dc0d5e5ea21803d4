"""The first site of a new instance, whose keys are kept in `first-site.json`, and its first operator."""

from functools import partial

from audience.access import keys, operators, sign_in, sites
from audience.access.audit_log import COMMAND_LINE, Actor
from audience.access.sites import Site
from audience.config import Settings
from audience.errors import Checks
from audience.privacy import secret_files
from storage import database

NAME = "My first site"


def ensure(settings: Settings) -> dict[str, str] | None:
    """Creates the first site with a full key. Returns the values of `first-site.json`; None if there is a
    site.

    Administrators, if any, own it. The file is written before the site is committed: a crash in between
    leaves no site with unknown keys.
    """
    with database.write():
        if sites.list_all():
            return None
        site = sites.create(NAME)
        operators.add_owners(site, COMMAND_LINE)
        key = keys.create([site])
        values = {
            "base_url": settings.base_url,
            "site_uuid": site.uuid,
            "publishable_key": key.publishable_key,
            "secret_key": key.secret_key,
        }
        secret_files.write_first_site(settings.instance, values)
        return values


def unnamed() -> Site | None:
    """The site that `ensure` created, until it gets another name; None if there is none."""
    return next((site for site in sites.list_all() if site.name == NAME), None)


def set_up(
    token: str, email: str, password: str, name: str, time_zone: str, client_network: str, replaced: str
) -> str:
    """Creates the first operator by the first link, and names the first site if it has no name yet.

    Returns the token of a session, which replaces the one with the token `replaced`. Raises `Refused`.
    """
    of_site: Checks = {
        "name": partial(sites.require_name, name),
        "time_zone": partial(sites.require_zone, time_zone),
    }
    password_hash = sign_in.hash_first_password(token, email, password, of_site if unnamed() else {})
    with database.write():
        session = sign_in.with_first_link(token, email, password_hash, client_network, replaced)
        if site := unnamed():
            sites.change(site, name, time_zone, Actor(email.strip(), client_network))
    return session
