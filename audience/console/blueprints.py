"""The blueprints of the console, under `/console`."""

from typing import Any, cast

from flask import Blueprint, Flask, Response, g, render_template, request

from audience.access import operators, sessions
from audience.access.sites import Site
from audience.console import (
    account,
    additions,
    address_lists,
    audit_log,
    backups,
    bulk_actions,
    checks,
    commands,
    file_uploads,
    first_site,
    forms,
    imports,
    keys,
    links,
    overview,
    reports,
    segments,
    settings,
    sign_in,
    sign_ups,
    site_pages,
    static_files,
    subscribers,
    tags,
    two_factor,
    undos,
    webhooks,
    wording,
)
from audience.console import operators as operator_pages
from audience.console import sites as sites_pages
from audience.console.confirmations import SENTENCES
from audience.console.help_pages import help_address
from audience.console.kept_forms import WORDS, kept_form
from audience.console.list_filters import GONE
from audience.console.page import (
    ADMINISTRATOR,
    NOT_FOUND,
    csrf_token,
    operator,
    page,
    requested_path,
    url,
)
from audience.console.sent_once import form_token
from audience.console.wording import API_WORDS
from audience.errors import NotFound
from audience.http.errors import ErrorResponse
from audience.http.pages import public_root
from audience.imports import backlog
from schemas.values import write_date

NOUNS = (
    first_site,
    overview, subscribers, tags, bulk_actions, commands, forms, sign_ups, imports, file_uploads, segments,
    reports, checks, address_lists, settings, keys, webhooks, sign_in, account, two_factor, operator_pages,
    audit_log, backups, sites_pages, undos, site_pages, links, static_files, additions,
)  # fmt: skip

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer browsers send `Origin: null`
}


def register(app: Flask) -> None:
    console = Blueprint("console", __name__, url_prefix="/console", template_folder="templates")
    for noun in NOUNS:
        console.register_blueprint(noun.blueprint)
    console.add_url_rule("/<path:rest>", "nowhere", refuse_unknown_path, methods=["GET", "POST"])
    console.context_processor(context)
    console.add_app_template_filter(write_date, "instant")
    console.after_request(put_headers)
    app.register_blueprint(console)
    wording.register(app)


@page(role="operator")
def refuse_unknown_path(**_path: str) -> None:
    """Raises `NotFound` for a path that is no page. Without a session, every path leads to the sign-in."""
    raise NotFound(NOT_FOUND)


def put_headers(response: Response) -> Response:
    """Adds each of `HEADERS` that the response does not have."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


def context() -> dict[str, Any]:
    """The variables that every template gets."""
    present = operator()
    return {
        "url": url,
        "static": static_files.FOLDER.url,
        "operator": present,
        "site": g.get("site"),
        "sites": sites,
        "here": current_site,
        "running_import": backlog.running,
        "may": may,
        "csrf": csrf_token() if present else "",
        "by": sessions.form_owner(present.id) if present else "",
        "form_token": form_token,
        "help_address": help_address,
        "refused": g.get("refused"),
        "was_done": SENTENCES.get(request.args.get("done", "")),
        "problems": {error.field: error.message for error in g.refused.errors} if "refused" in g else {},
    }


def sites() -> list[Site]:
    """The sites on which the operator has a role."""
    present = operator()
    return operators.sites_of(present.id) if present else []


def current_site() -> Site | None:
    """The site in the page's head; None if the operator has no site.

    On a page of the instance, it is the site from which that was opened, else the operator's first.
    """
    if "site" in g:
        return cast("Site", g.site)
    mine, uuid = sites(), request.args.get("of", "")
    return next((site for site in mine if site.uuid == uuid), mine[0] if mine else None)


def may(role: str) -> bool:
    """Whether the operator has `role`, or a higher one, on the site in the page's head.

    For "administrator", whether the operator is one.
    """
    present, site = operator(), current_site()
    if present is None:
        return False
    if role == ADMINISTRATOR:
        return present.administrator
    return site is not None and present.may(role, site.id)


def error_page(error: ErrorResponse) -> Response:
    """The page of an error. It makes no query: the database may be the cause."""
    g.setdefault("operator", None)
    message = NOT_FOUND if API_WORDS in error.message else WORDS.get(error.message, error.message)
    may_repeat = error.status == 503 and error.outcome_known
    fields = kept_form() if may_repeat else []
    shown = {"status": error.status, "message": message, "may_repeat": may_repeat, "fields": fields}
    shown["searches"] = error.message == GONE
    return Response(render_template("error.html", path=public_root() + requested_path(), **shown))
