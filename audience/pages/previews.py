"""Previews of the pages for the console, which shows them in a frame, with an invented visitor."""

from collections.abc import Mapping
from typing import Any

from flask import Response

from audience import clock
from audience.access.sites import Site
from audience.clock import HOUR_MS
from audience.errors import NotFound
from audience.forms import embedding, forms
from audience.forms.forms import SignUpForm
from audience.links.unsubscribing import REASONS
from audience.links.visits import Visit, VisitStatus
from audience.pages.page import HEADERS, POLICY, asked_language, show
from audience.sign_ups.checks import CheckedAddress
from audience.sign_ups.confirming import Confirmation

ADDRESS, TYPED = "a…@example.com", "anna.berg@example.com"
FRAMED = HEADERS | {POLICY: HEADERS[POLICY].replace("frame-ancestors 'none'", "frame-ancestors 'self'")}
FORM_NAMES = ("form", "mailbox", "confirm", "welcome")
NAMES = ("ask", "left", "choose", "come_back")
NOTHING = "There is no such page."


def show_page(name: str, site: Site, language: str) -> Response:
    """A preview of a page of links, one of `NAMES`. Raises `NotFound`."""
    if name not in NAMES:
        raise NotFound(NOTHING)
    response = show(name, site, language, **_sample(language))
    response.headers.update(FRAMED)
    return response


def show_form(name: str, site: Site, form: SignUpForm) -> Response:
    """A preview of a page of a sign-up, one of `FORM_NAMES`, in a language of the form. Raises `NotFound`."""
    if name not in FORM_NAMES:
        raise NotFound(NOTHING)
    offered = forms.languages(form)
    typed = {"email": TYPED} if name == "mailbox" else None
    asked = Confirmation(
        site, 0, form, "", address=ADDRESS, tags=form.tags, needs_click=True,
        wording=form.wording.get(asked_language(offered) or form.language, ""),
        origin=next(iter(form.origins), ""), requested_at=clock.now_ms(),
    )  # fmt: skip
    shown: dict[str, Any] = {
        "typed": typed, "checked": CheckedAddress(), "missing": (), "trap": "", "opened": "",
        "completes": embedding.COMPLETES, "asked": asked, "facts": (), "preferences_url": "#",
    }  # fmt: skip
    response = show(name, site, form.language, offered=offered, form=form, here="", **shown)
    response.headers.update(FRAMED)
    return response


def _sample(language: str) -> Mapping[str, Any]:
    now = clock.now_ms()
    visit = Visit(VisitStatus.OPEN, ADDRESS, language, now, may_choose=True)
    undo = {"ticket": "", "until": now + HOUR_MS, "may_undo": True, "reason": "", "reasons": REASONS}
    return {"visit": visit, "here": "", "is_saved": False, **undo}
