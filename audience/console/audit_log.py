"""The audit log of a site and of the instance."""

from flask import Blueprint, render_template, request

from audience import audit_log
from audience.audit_log import AuditEntry
from audience.console.page import page
from audience.sites import Site

blueprint = Blueprint("audit_log", __name__)


@blueprint.get("/sites/<site_uuid>/audit-log")
@page(role="owner")
def index(site: Site) -> str:
    """Audit log of a site"""
    return _shown(audit_log.page(site, before()))


@blueprint.get("/audit-log")
@page(role="administrator")
def instance() -> str:
    """Audit log of the instance"""
    return _shown(audit_log.page(None, before()))


def _shown(entries: list[AuditEntry]) -> str:
    is_full = len(entries) == audit_log.PAGE_ROWS
    return render_template("audit_log.html", entries=entries, is_full=is_full)


def before() -> int:
    """The id in the query that the page's entries are below."""
    return request.args.get("before", audit_log.NEWEST, int)
