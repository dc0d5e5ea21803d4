"""Segments, and one of them: its rule drawn, in words and as JSON, and who matches now."""

import json
from typing import Any

from flask import Blueprint, render_template

from audience import segments, stats
from audience.console import rule_trees
from audience.console.page import page
from audience.segments import Segment
from audience.sites import Site

blueprint = Blueprint("segments", __name__)


@blueprint.get("/sites/<site_uuid>/segments")
@page(role="viewer")
def index(site: Site) -> str:
    """Segments"""
    listed = [
        (segment, rule_trees.in_words(json.loads(segment.rules))) for segment in segments.list_all(site)
    ]
    return render_template("segments.html", listed=listed)


@blueprint.get("/sites/<site_uuid>/segments/<segment_id>")
@page(role="viewer")
def show(site: Site, segment_id: str) -> str:
    """A segment"""
    segment = segments.get(site, segment_id)
    return render_template("segment.html", segment=segment, **_details(site, segment))


def _details(site: Site, segment: Segment) -> dict[str, Any]:
    rules = json.loads(segment.rules)
    counts, newest = segments.preview(site, rules)
    return {
        "tree": rule_trees.tree(site, rules),
        "words": rule_trees.in_words(rules),
        "as_json": json.dumps(rules, ensure_ascii=False, indent=2),
        "matching": counts,
        "newest": newest,
        "all": stats.for_site(site),
    }
