"""Segments, and the page of one: its rule to build, drawn, in words and as JSON, and the subscribers who
match.
"""

import json
from contextlib import suppress
from operator import attrgetter
from typing import Any

from flask import Blueprint, Response, render_template, request

from audience.access.sites import Site
from audience.console import links, rule_conditions, rule_trees, rule_words, segment_forms
from audience.console.list_filters import filters, read_search_text
from audience.console.page import actor, attachment, page, read_form, redirect_to
from audience.console.sent_once import make_once, sent_before
from audience.console.wording import TURNING
from audience.errors import AudienceError, Refused
from audience.reports import reports
from audience.searches import exports
from audience.segments import counts as segment_counts
from audience.segments import matches as segment_matches
from audience.segments import segments
from audience.segments.segments import Segment
from audience.subscribers import stats
from schemas import exports as wire

blueprint = Blueprint("segments", __name__)

ESCAPED = {code: f"\\u{code:04x}" for code in TURNING}

TRY = "try"
CSV = "csv"


@blueprint.get("/sites/<site_uuid>/segments")
@page(role="viewer")
def index(site: Site) -> str:
    """Segments"""
    listed = [
        (segment, rule_words.in_words(json.loads(segment.rules))) for segment in segments.list_all(site)
    ]
    return render_template("segments.html", listed=listed, history=segment_counts.by_segment(site))


@blueprint.get("/sites/<site_uuid>/segments/<segment_id>")
@page(role="viewer")
def show(site: Site, segment_id: str) -> str:
    """A segment"""
    segment = segments.get(site, segment_id)
    used_by = reports.list_using(site, segment)
    details = _details(site, json.loads(segment.rules))
    history = segment_counts.by_segment(site).get(segment.id, [])
    return render_template("segment.html", segment=segment, used_by=used_by, history=history, **details)


@blueprint.get("/sites/<site_uuid>/segments/new")
@page(role="manager")
def new(site: Site) -> str:
    """The form of a new segment: empty, a copy of the one in the query, or with the filters of a list"""
    source_uuid = request.args.get("from", "")
    if source_uuid:
        copied = segments.get(site, source_uuid)
        return _form(site, copied._replace(id=0, name=f"{copied.name}, copy"))
    chosen = filters(request.args)
    return _form(site, segment_forms.of_list(site, chosen, read_search_text(site, chosen)))


@blueprint.post("/sites/<site_uuid>/segments/new")
@page(role="manager", again=new)
def create(site: Site) -> Response | str:
    """Make a segment, or only show who matches"""
    item = segment_forms.read_segment(read_form())
    if TRY in read_form():
        return _form(site, None)
    segment, segment_id = make_once(site.id, lambda: segments.create(site, item, actor()), attrgetter("id"))
    return _redirect(site, segment_id, segment)


@blueprint.get("/sites/<site_uuid>/segments/<segment_id>/edit")
@page(role="manager")
def edit(site: Site, segment_id: str) -> str:
    """The form of a segment"""
    return _form(site, segments.get(site, segment_id))


@blueprint.post("/sites/<site_uuid>/segments/<segment_id>/edit")
@page(role="manager", again=edit)
def replace(site: Site, segment_id: str) -> Response | str:
    """Change a segment, or only show who matches"""
    item = segment_forms.read_segment(read_form())
    if TRY in read_form():
        return _form(site, segments.get(site, segment_id))
    return _redirect(site, segment_id, segments.replace(site, segment_id, item, actor()))


@blueprint.post("/sites/<site_uuid>/segments/<segment_id>/delete")
@page(role="manager", again=show)
def delete(site: Site, segment_id: str) -> Response:
    """Delete a segment"""
    segments.delete(site, segment_id, actor())
    return redirect_to("console.segments.index", site_uuid=site.uuid)


@blueprint.post("/sites/<site_uuid>/segments/<segment_id>/export")
@page(role="manager", again=show)
def export(site: Site, segment_id: str) -> Response:
    """Export the subscribers of a segment"""
    segments.begin_export(site, segment_id, actor())
    more = links.columns(site, "links" in read_form())
    pages = exports.recorded_pages(site, segment_id, actor(), with_links=bool(more))
    rows = wire.WRITERS[CSV](exports.keys(site), pages, *more)
    return attachment(rows, wire.FORMATS[CSV], f"segment-{int(segment_id)}.csv")


@blueprint.post("/sites/<site_uuid>/segments/preview")
@page(role="manager")
def preview(site: Site) -> dict[str, Any] | tuple[dict[str, Any], int]:
    """What a rule that is being built means, who matches it, and for how many each condition holds alone"""
    form = read_form()
    try:
        rules = segment_forms.read_rules(form.get("rules", ""))
        shown = _preview_matches(site, rules)
        counts = [segments.count(site, condition) for condition in segment_forms.read_conditions(form)]
    except Refused as refused:
        return {"problem": (refused.errors or [refused])[0].message}, 422
    table = render_template("segment_people.html", segment=None, **shown)
    return {"counts": counts, "words": rule_words.in_words(rules).translate(TURNING), "people": table}


@blueprint.get("/sites/<site_uuid>/segments/values")
@page(role="manager")
def values(site: Site) -> list[str]:
    """Values of the field that the query names, to choose from"""
    return segments.field_values(site, request.args.get("field", ""))


def _redirect(site: Site, segment_id: str, segment: Segment | None) -> Response:
    return redirect_to(
        "console.segments.show", site_uuid=site.uuid, segment_id=segment_id, done=sent_before(segment)
    )


def _form(site: Site, segment: Segment | None) -> str:
    """The page with the form as sent, else the segment's, and who matches if the rule is valid."""
    draft = segment_forms.draft(request.form if request.method == "POST" else None, segment)
    details: dict[str, Any] = {}
    with suppress(AudienceError):
        details = _details(site, segment_forms.read_rules(draft["rules"]))
    return render_template(
        "segment_form.html",
        segment=segment if segment and segment.id else None,
        draft=draft | ({"rules": details["as_json"]} if details else {}),
        language=segment_forms.language(site),
        details=details,
    )


def _details(site: Site, rules: Any) -> dict[str, Any]:
    """The page's variables that describe a rule. Raises `Refused`."""
    return _preview_matches(site, rules) | {
        "tree": rule_trees.tree(site, rules),
        "words": rule_words.in_words(rules),
        "as_json": json.dumps(rules, ensure_ascii=False, indent=2).translate(ESCAPED),
    }


def _preview_matches(site: Site, rules: Any) -> dict[str, Any]:
    """The page's variables on matching subscribers: how many, and the newest. Raises `Refused`."""
    counts, newest = segments.preview(site, rules)
    held = segment_matches.matching_conditions(site, rules, [subscriber.id for subscriber in newest])
    reasons = [", ".join(map(rule_conditions.condition, part_)) for part_ in held]
    return {"matching": counts, "newest": newest, "reasons": reasons, "all": stats.for_site(site)}
