"""The page of the documentation about each screen."""

from audience.console.page import url

ABOUT = {  # by the noun of its screens
    "account": "console",
    "additions": "console",
    "address_lists": "answers",
    "audit_log": "console#audit-log",
    "backups": "operations#back-up-and-restore",
    "bulk_actions": "console#many-at-once",
    "checks": "answers",
    "commands": "console",
    "file_uploads": "console#import-a-file",
    "first_site": "console#sign-in-for-the-first-time",
    "forms": "sign-up",
    "imports": "files",
    "keys": "security#keys",
    "links": "pages",
    "operators": "console#operators-and-roles",
    "overview": "console",
    "reports": "reports",
    "segments": "segments",
    "settings": "settings",
    "sign_in": "console#sign-in-for-the-first-time",
    "sign_ups": "sign-up",
    "site_pages": "pages",
    "sites": "concepts",
    "subscribers": "console",
    "tags": "console",
    "two_factor": "console#two-factor-sign-in",
    "undos": "integrations#undoing-an-import",
    "webhooks": "integrations#webhooks",
}


def help_address(noun: str) -> str:
    """The address of the page about the screens of a noun."""
    name, _, anchor = ABOUT[noun].partition("#")
    return url("docs.page", name=name, _anchor=anchor or None)
