"""Backups: made, downloaded and deleted."""

from flask import Blueprint, Response, render_template

from audience.console.page import actor, attachment, page, redirect_to
from audience.http.services import settings
from audience.operations import daily_backups, kept_backups

blueprint = Blueprint("backups", __name__)


@blueprint.get("/backups")
@page(role="administrator")
def index() -> str:
    """Backups"""
    shown = {"is_busy": kept_backups.is_busy(settings()), "problem": kept_backups.problem(settings())}
    shown |= {"settings": settings(), "daily": daily_backups.outcome(settings())}
    return render_template("backups.html", backups=kept_backups.list_all(settings()), **shown)


@blueprint.post("/backups")
@page(role="administrator", again=index)
def make() -> Response:
    """Have a worker make a backup"""
    kept_backups.ask(settings(), actor())
    return redirect_to("console.backups.index")


@blueprint.post("/backups/<name>/download")
@page(role="administrator")
def download(name: str) -> Response:
    """Download a backup, which contains all subscribers and the pepper"""
    return attachment(kept_backups.read(settings(), name, actor()), "application/x-tar", name)


@blueprint.post("/backups/<name>/delete")
@page(role="administrator")
def delete(name: str) -> Response:
    """Delete a backup"""
    kept_backups.delete(settings(), name, actor())
    return redirect_to("console.backups.index")
