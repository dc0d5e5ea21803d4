"""The audit log of a site and of the instance."""

import json
from typing import Any

from flask import Blueprint, render_template, request

from audience.access import audit_log
from audience.access.audit_log import AuditEntry
from audience.access.sites import Site
from audience.console.page import page, url
from audience.erasures.erasures import UUID
from audience.segments.segments import is_id

blueprint = Blueprint("audit_log", __name__)

PAGES = {  # of subjects such as "import 1": the screen, and the parameter of its path
    "bulk action": ("bulk_actions", "action_id"),
    "import": ("imports", "import_id"),
    "webhook": ("webhooks", "webhook_id"),
}
TYPED = ("tag", "key", "reason", "value", "text", "consent")  # shown; an address that was typed is not


@blueprint.get("/sites/<site_uuid>/audit-log")
@page(role="owner")
def index(site: Site) -> str:
    """Audit log of a site"""
    return _render(audit_log.page(site, before()), site)


@blueprint.get("/audit-log")
@page(role="administrator")
def instance() -> str:
    """Audit log of the instance"""
    return _render(audit_log.page(None, before()))


def _render(entries: list[AuditEntry], site: Site | None = None) -> str:
    is_full = len(entries) == audit_log.PAGE_ROWS
    rows = [_row(entry, site) for entry in entries]
    return render_template("audit_log.html", entries=entries, rows=rows, is_full=is_full)


def _row(entry: AuditEntry, site: Site | None) -> dict[str, Any]:
    """The template's variables of an entry. `page` is empty in the log of the instance, without a site."""
    action, _, name = entry.act.partition(audit_log.NAMED)
    typed = json.loads(entry.typed)
    names = [name, *(str(typed[name]) for name in TYPED if name in typed)]
    page_url = _page(entry.subject, site.uuid) if site else ""
    return {
        "entry": entry,
        "said": action,
        "about": entry.subject,
        "names": ", ".join(filter(None, names)),
        "page": page_url,
    }


def _page(subject: str, site_uuid: str) -> str:
    """The path of the page about an entry's subject; "" without one."""
    if UUID.fullmatch(subject):
        return url("console.subscribers.show", site_uuid=site_uuid, subscriber_uuid=subject)
    noun, _, number = subject.rpartition(" ")
    if noun not in PAGES or not is_id(number):
        return ""
    screen, parameter = PAGES[noun]
    return url(f"console.{screen}.show", site_uuid=site_uuid, **{parameter: int(number)})


def before() -> int:
    """The id in the query, below which entries are listed; without one, a number above all ids."""
    asked = request.args.get("before", "")
    return int(asked) if is_id(asked) else audit_log.NEWEST
