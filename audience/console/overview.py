"""The overview of a site: its numbers, growth, newest imports and subscribers, and health."""

import datetime as dt
from itertools import accumulate
from typing import Any

from flask import Blueprint, Response, render_template, request

from audience import clock
from audience.access import operators
from audience.access.sites import Site
from audience.console import file_forms
from audience.console.page import page, redirect_to, signed_in
from audience.console.wording import plain_day, short_day, today
from audience.forms import forms
from audience.http.services import services, settings
from audience.imports import backlog, file_uploads, imports
from audience.looks import looks
from audience.operations import probes
from audience.reports import growth, periods
from audience.reports.growth import Growth
from audience.reports.periods import Period
from audience.searches import lists as subscriber_lists
from audience.segments import counts as segment_counts
from audience.segments import segments
from audience.sign_ups import sign_ups
from audience.subscribers import stats
from audience.subscribers.stats import Counts

blueprint = Blueprint("overview", __name__)

STEPS = {"day": "a day", "week": "a week", "month": "a month"}
PERIODS = ("30", "90", "365", "all")
MOST_STROKES = 45  # on a telephone; more days are drawn by week there
NEWEST = 4
ADD = "add"  # in the query: the page with the ways to add people


@blueprint.get("")
@page(role="operator")
def home() -> Response:
    """The site that the operator used last, else the first"""
    sites = operators.sites_of(signed_in().id)
    last = [site for site in sites if site.id == signed_in().last_site_id]
    for site in (*last, *sites):
        return redirect_to("console.overview.index", site_uuid=site.uuid)
    return redirect_to("console.account.index")


@blueprint.get("/sites/<site_uuid>")
@page(role="viewer")
def index(site: Site) -> str:
    """Overview; of a site without subscribers, or if asked for, the ways to add people"""
    counts = stats.for_site(site)
    begins = not counts.users or (ADD in request.args and signed_in().may("manager", site.id))
    shown = _beginning(site) if begins else _growth(site, counts)
    shown |= {"counts": counts, "begins": begins, **_sign_ups(site), **_health()}
    return render_template("overview.html", **shown)


def _sign_ups(site: Site) -> dict[str, Any]:
    """The outcomes of today's sign-ups (None without any form or sign-up), and the open ones by status."""
    now = clock.now_ms()
    today = periods.from_settings({"unit": "day", "days": 1}, site.time_zone, now).bounds[0]
    outcomes, open_numbers = sign_ups.outcomes(site, today), sign_ups.count_open_by_status(site, now + 1)
    has_some = outcomes or open_numbers or forms.list_all(site)
    return {"sign_ups": outcomes if has_some else None, "open_numbers": open_numbers}


def _beginning(site: Site) -> dict[str, Any]:
    """The variables of the page without subscribers."""
    return {"look": looks.get(site), **file_forms.accepted()}


def _health() -> dict[str, Any]:
    readiness = probes.readiness(settings(), services().processes, services().answers)
    failing = [problem for problem in readiness.problems.values() if problem]
    return {"failing": failing, "warnings": readiness.warnings, "backlog": backlog.measure_if_known()}


def _growth(site: Site, counts: Counts) -> dict[str, Any]:
    """The variables of the page about growth, in the URL's period and steps."""
    choice = _choice()
    period, earlier = _periods(site, **choice)
    now = growth.measure(site, period)
    before = growth.measure(site, earlier) if earlier else Growth([], [])
    net = list(accumulate(now.net))
    return {
        "choice": choice,
        "by": STEPS[choice["step"]],
        "span": f"{plain_day(period.days[0])} to {plain_day(today())}",
        "labels": [_label(day, choice["step"]) for day in period.days],
        "now": now,
        "net": net,
        "change": net[-1],
        "new": sum(now.new),
        "left": sum(now.unsubscribed),
        "has_before": earlier is not None,
        "before_words": f"the {len(period.days)} {choice['step']}s before",
        "new_before": sum(before.new),
        "left_before": sum(before.unsubscribed),
        "net_before": list(accumulate(before.net)),
        "totals": _totals(counts.users, now.new),
        "subscribed": _totals(counts.subscribers, now.net),
        "active": stats.active_since(site, period.bounds[0]),
        "weekly": _by_week(period, now) if choice["step"] == "day" else None,
        "segments": segments.list_all(site),
        "segment_history": segment_counts.by_segment(site),
        **_newest_imports(site),
        "newest": subscriber_lists.newest(site, NEWEST),
    }


def _newest_imports(site: Site) -> dict[str, Any]:
    newest = imports.newest(site)[:NEWEST]
    return {"imports": newest, "files": file_uploads.files(site, [site.id for site in newest])}


def _choice() -> dict[str, str]:
    """The step and the number of days in the URL; by day, 90 days without them."""
    step, period = request.args.get("step", "day"), request.args.get("period", "90")
    return {"step": step if step in STEPS else "day", "period": period if period in PERIODS else "90"}


def _periods(site: Site, step: str, period: str) -> tuple[Period, Period | None]:
    """The (chosen period, preceding one of the same length).

    `period` is a number of days as text, or "all": then the preceding one is None.
    """
    at = clock.now_ms()
    if period == "all":
        first = periods.day_of(stats.first_created(site) or at, site.time_zone)
        return periods.from_settings({"unit": step, "from": first.isoformat()}, site.time_zone, at), None
    chosen = periods.from_settings({"unit": step, "days": int(period)}, site.time_zone, at)
    last = chosen.days[0] - periods.ONE_DAY
    begin = {"unit": step, "days": int(period) + 31, "to": last.isoformat()}
    earlier = periods.from_settings(begin, site.time_zone, at)
    return chosen, earlier.last(len(chosen.days))


def _label(day: dt.date, step: str) -> str:
    return f"{day:%b} {day.year}" if step == "month" else short_day(day)


def _totals(now: int, changes: list[int]) -> list[int]:
    """The total after each part of a period. `now` is the last total, `changes` are by part."""
    return list(accumulate(reversed(changes[1:]), lambda total, change: total - change, initial=now))[::-1]


def _by_week(period: Period, growth: Growth) -> tuple[list[str], Growth] | None:
    """The (labels, growth) by week; None for a period that is short enough to show its days."""
    if len(period.days) <= MOST_STROKES:
        return None
    starts = range(0, len(period.days), 7)
    labels = [_label(period.days[start], "week") for start in starts]
    counts = (
        [sum(numbers[start : start + 7]) for start in starts] for numbers in (growth.new, growth.unsubscribed)
    )
    return labels, Growth(*counts)
