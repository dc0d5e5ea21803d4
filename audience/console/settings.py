"""The site's settings: its facts, keys, health, and what is configured."""

from dataclasses import fields
from typing import Any

from flask import Blueprint, render_template

from audience import clock, keys, stats
from audience.config import Settings
from audience.console.page import page
from audience.http.services import services, settings
from audience.operations import probes
from audience.operations.diagnostics import Context
from audience.sites import Site

blueprint = Blueprint("settings", __name__)

SECRETS = ("metrics_token", "spamhaus_dqs_key", "abusix_key", "redis_url", "database_url")


@blueprint.get("/sites/<site_uuid>/settings")
@page(role="viewer")
def index(site: Site) -> str:
    """Settings"""
    readiness = probes.readiness(settings(), services().processes, services().answers)
    return render_template("settings.html", counts=stats.for_site(site), readiness=readiness)


@blueprint.get("/sites/<site_uuid>/keys")
@page(role="owner")
def list_keys(site: Site) -> str:
    """Keys"""
    return render_template("keys.html", keys=keys.list_all(site), now=clock.now_ms())


@blueprint.get("/configured")
@page(role="administrator")
def configured() -> str:
    """What is configured"""
    return render_template("configured.html", rows=[_row(field) for field in fields(Settings)])


@blueprint.get("/doctor")
@page(role="administrator")
def doctor() -> str:
    """The doctor's findings, but for what asks the DNS"""
    context = Context(
        settings(), services().processes, offline=True, in_service=True, answers=services().answers
    )
    return render_template("doctor.html", findings=list(probes.examine_running(context)))


def _row(field: Any) -> dict[str, Any]:
    """A setting; a secret says only whether it is set."""
    value = getattr(settings(), field.name)
    written = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    if field.name in SECRETS and value:
        written = "set, not shown"
    return {
        "name": field.name,
        "value": written,
        "meaning": field.metadata["meaning"],
        "is_default": value == field.default,
    }
