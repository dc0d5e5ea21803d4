"""The style sheet and script of all pages, and the colours and logo of a site."""

from flask import Blueprint, Response

from audience.access import sites
from audience.access.sites import Site
from audience.errors import NotFound
from audience.http.access import public
from audience.http.pages import public_root
from audience.http.static_files import NOTHING, StaticFolder, kept_by_version, version
from audience.looks import colours, looks
from audience.looks.looks import Look

blueprint = Blueprint("files", __name__)

FOLDER = StaticFolder("audience.pages", "/pages/static")


@blueprint.get("/pages/static/<name>")
@public
def static(name: str) -> Response:
    """The style sheet and the script of the pages for people"""
    return FOLDER.serve(name)


@blueprint.get("/pages/<site_uuid>/look.css")
@public
def look_css(site_uuid: str) -> Response:
    """The colours of a site's pages for people"""
    accent = looks.get(sites.get_by_uuid(site_uuid)).accent
    if not accent:
        raise NotFound(NOTHING)
    content = colours.style_sheet(accent).encode()
    return kept_by_version(Response(content, mimetype="text/css"), version(content))


@blueprint.get("/pages/<site_uuid>/logo")
@public
def logo(site_uuid: str) -> Response:
    """The logo of a site's pages for people"""
    found = looks.logo(sites.get_by_uuid(site_uuid))
    if found is None:
        raise NotFound(NOTHING)
    return kept_by_version(Response(found.content, mimetype=found.kind), looks.logo_hash(found.content))


def look_url(site: Site, look: Look, name: str) -> str:
    """The URL of a site's `look.css` or `logo`."""
    shown = look.logo_hash if name == "logo" else version(colours.style_sheet(look.accent).encode())
    return f"{public_root()}/pages/{site.uuid}/{name}?v={shown}"
