"""The console's style sheet, scripts and pictures."""

from flask import Blueprint, Response

from audience.console.page import page
from audience.http.static_files import StaticFolder

blueprint = Blueprint("static_files", __name__)

FOLDER = StaticFolder("audience.console", "/console/static")


@blueprint.get("/static/<name>")
@page(role="anyone")
def read(name: str) -> Response:
    """A file of the console's pages"""
    return FOLDER.serve(name)
