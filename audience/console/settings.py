"""The site's settings: its name and time zone, its health, and the instance's configuration."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from flask import Blueprint, Response, render_template

from audience.access import sites
from audience.access.sites import Site
from audience.config import SECRET, Settings
from audience.console.page import actor, page, read_form, redirect_to
from audience.errors import Refused
from audience.http.services import services, settings
from audience.operations import probes
from audience.operations.diagnostics import Context
from audience.subscribers import stats
from schemas.base import UNCLEAN

blueprint = Blueprint("settings", __name__)

LONG_NAME = "Shorten the name to at most 200 characters."
MAX_NAME = 200  # characters


@blueprint.get("/sites/<site_uuid>/settings")
@page(role="viewer")
def index(site: Site) -> str:
    """Settings"""
    readiness = probes.readiness(settings(), services().processes, services().answers)
    return render_template("settings.html", counts=stats.for_site(site), readiness=readiness)


@blueprint.post("/sites/<site_uuid>/settings")
@page(role="owner", again=index)
def set_site(site: Site) -> Response:
    """Rename the site, and set its time zone"""
    form = read_form()
    sites.change(site, read_name(form), form.get("time_zone", "").strip(), actor())
    return redirect_to("console.settings.index", site_uuid=site.uuid)


def read_name(form: Mapping[str, str]) -> str:
    """The name in a form, which may be empty. Raises `Refused` if it is too long or contains NUL.

    Not every database stores NUL.
    """
    name = form.get("name", "").strip()
    if "\0" in name:
        raise Refused(UNCLEAN)
    if len(name) > MAX_NAME:
        raise Refused(LONG_NAME)
    return name


@blueprint.get("/configured")
@page(role="administrator")
def configured() -> str:
    """What is configured"""
    return render_template("configured.html", rows=[_row(field) for field in fields(Settings)])


@blueprint.get("/doctor")
@page(role="administrator")
def doctor() -> str:
    """The doctor's findings, without those that need the DNS"""
    context = Context(
        settings(), services().processes, offline=True, in_service=True, answers=services().answers
    )
    return render_template("doctor.html", findings=list(probes.examine_running(context)))


def _row(field: Any) -> dict[str, Any]:
    """A setting and its value; of a secret, only whether it is set."""
    value = getattr(settings(), field.name)
    text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    if field.name in SECRET and value:
        text = "set, not shown"
    return {
        "name": field.name,
        "value": text,
        "meaning": field.metadata["meaning"],
        "is_default": value == field.default,
    }
