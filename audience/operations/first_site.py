"""The first site of a new instance; its keys are kept in `first-site.json`."""

from audience.access import keys, operators, sites
from audience.access.audit_log import COMMAND_LINE
from audience.config import Settings
from audience.privacy import secret_files
from storage import database


def ensure(settings: Settings) -> dict[str, str] | None:
    """Creates the first site with a full key. Returns the values of `first-site.json`; None if there is a
    site.

    Administrators, if any, own it. The file is written before the site is committed: a crash in between
    leaves no site with unknown keys.
    """
    with database.write():
        if sites.list_all():
            return None
        site = sites.create("My first site")
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
