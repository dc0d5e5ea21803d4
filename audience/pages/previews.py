"""The pages as they would look, for the console: of somebody made up, in a frame of the console alone."""

from collections.abc import Mapping
from typing import Any

from flask import Response

from audience import clock
from audience.access.sites import Site
from audience.clock import HOUR_MS
from audience.errors import NotFound
from audience.links.unsubscribing import REASONS
from audience.links.visits import Visit, VisitStatus
from audience.pages.page import HEADERS, POLICY, show

ADDRESS = "a…@example.com"
FRAMED = HEADERS | {POLICY: HEADERS[POLICY].replace("frame-ancestors 'none'", "frame-ancestors 'self'")}
NAMES = ("ask", "left", "choose", "come_back")
NOTHING = "There is no such page."


def show_page(name: str, site: Site, language: str) -> Response:
    """Raises `NotFound`."""
    if name not in NAMES:
        raise NotFound(NOTHING)
    response = show(name, site, language, **_sample(language))
    response.headers.update(FRAMED)
    return response


def _sample(language: str) -> Mapping[str, Any]:
    now = clock.now_ms()
    visit = Visit(VisitStatus.OPEN, ADDRESS, language, now, may_choose=True)
    undo = {"ticket": "", "until": now + HOUR_MS, "may_undo": True, "reason": "", "reasons": REASONS}
    return {"visit": visit, "here": "", "is_saved": False, **undo}
