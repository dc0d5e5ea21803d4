"""The page on which visitors have the links of an address mailed to it. It never tells whose address is on
the list.
"""

from typing import Any

from flask import Blueprint, Response, g, request

from audience import addresses
from audience.access import sites
from audience.access.sites import Site
from audience.addresses import MalformedAddress
from audience.http.access import public
from audience.http.services import services, settings
from audience.looks import looks, senders
from audience.pages import visitors
from audience.pages.page import check, read_body, reader_language, refuse_link, show
from audience.sign_ups import checks, link_requests, steps
from audience.sign_ups.steps import FormStep, StepOutcome
from schemas.base import is_clean_text
from schemas.values import trim

blueprint = Blueprint("link_requests", __name__)

NO_FORM = 0  # in the step, in place of the id of a form
MAX_TYPED = 320  # characters; longer addresses are none


@blueprint.get("/leave/<site_uuid>")
@public
def fill_in(site_uuid: str) -> Response:
    """Asks for the address whose links are to be mailed"""
    site = _read(site_uuid)
    return _page("leave", site) if _can_mail(site) else _page("leave_by_mail", site)


@blueprint.post("/leave/<site_uuid>")
@public
def ask(site_uuid: str) -> Response:
    """The step after the address; stores nothing"""
    site = _read(site_uuid)
    read_body()
    if not _can_mail(site):
        return _page("leave_by_mail", site)
    count = visitors.count_form()
    if count.wait:
        return _crowded_page(site, count.wait)
    typed = trim(request.form.get("email_use") or request.form.get("email", ""))[:MAX_TYPED]
    if not _is_address(typed):
        return _page("leave", site, 422, typed=typed if is_clean_text(typed) else "", is_wrong=True)
    if suggestion := _suggestion(site, typed):
        return _page("leave", site, 422, typed=typed, suggestion=suggestion)
    language = reader_language(looks.get(site).language)
    step = FormStep(NO_FORM, typed, {}, language, "", 0, False, visitors.network())
    return _step(site, steps.begin(site, step, count.is_hard))


@blueprint.post("/leave/<site_uuid>/send")
@public
def send(site_uuid: str) -> Response:
    """Has the links mailed, if the address is on the list; the page does not tell whether it is"""
    site = _read(site_uuid)
    read_body()
    step = steps.read(site, NO_FORM, request.form.get("step", ""))
    if step is None:
        refuse_link()
    if not _can_mail(site):
        return _page("leave_by_mail", site)
    if wait := visitors.count_step():
        return _crowded_page(site, wait)
    outcome = steps.judge(site, step, visitors.network(), request.form.get("solution", ""))
    if outcome is StepOutcome.EARLY:
        return _step(site, step, is_early=True)
    if outcome is StepOutcome.AGAIN:
        return _step(site, steps.begin(site, step._replace(network=visitors.network()), step.is_hard))
    if outcome is StepOutcome.PRESSED and (wait := visitors.count_press()):
        return _crowded_page(site, wait)
    link_requests.accept(site, addresses.identity(step.email), step.language, settings().base_url)
    return _page("leave_sent", site, step=step)


for view in (ask, send):
    vars(view)["check"] = check


def _read(site_uuid: str) -> Site:
    """The site of a path. Raises `NotFound`."""
    site = sites.get_by_uuid(site_uuid)
    g.site_id = site.id
    return site


def _can_mail(site: Site) -> bool:
    """Whether the site can send emails."""
    return not senders.obstacle(site, settings())


def _is_address(typed: str) -> bool:
    try:
        return is_clean_text(addresses.identity(typed))
    except MalformedAddress:
        return False


def _suggestion(site: Site, typed: str) -> str:
    """The address that was probably meant; "" without one, or if the visitor keeps the typed one."""
    if request.form.get("email_keep") == typed:
        return ""
    return checks.check(services().answers, site, typed, False, "", visitors.agent()).suggestion


def _page(name: str, site: Site, status: int = 200, **shown: Any) -> Response:
    values: dict[str, Any] = {"typed": "", "is_wrong": False, "suggestion": ""} | shown
    return show(name, site, status=status, here=f"/leave/{site.uuid}", **values)


def _step(site: Site, step: FormStep, is_early: bool = False) -> Response:
    return _page("step", site, step=step, signed=steps.sign(site, step), is_early=is_early, is_form=False)


def _crowded_page(site: Site, wait: int) -> Response:
    """The page for a network that must wait; `wait` is in seconds."""
    page = _page("crowded", site, 429, until=visitors.instant_after(wait))
    page.headers["Retry-After"] = str(wait)
    return page
