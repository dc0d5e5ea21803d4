"""The form of a segment: its fields, and what the visual builder offers."""

import json
from collections.abc import Mapping
from typing import Any

from audience.access.sites import Site
from audience.console import list_filters
from audience.console.page import validate
from audience.console.rule_conditions import DATES, NAMES
from audience.console.rule_trees import HEADS, MOST_COUNTED
from audience.errors import Refused
from audience.segments import segments
from audience.segments.segments import Segment
from audience.segments.subjects import OPERATORS, SUBJECTS
from audience.subscribers import custom_fields, tags
from schemas.segments import NO_JSON, NewSegment, RulesOnly
from schemas.values import NAMES as PLAIN_FIELDS
from schemas.values import FieldError

NOT_SAVED = "Nothing was saved: correct what is listed below, and save again."
FIRST_RULE = {"all": [{"status": "subscribed"}]}
MOST_OFFERED = 200

WORDS = {
    "is": "is", "is_not": "is not", "in": "is one of", "contains": "contains", "starts_with": "begins with",
    "gt": "is more than", "gte": "is at least", "lt": "is less than", "lte": "is at most",
    "days_ago": "was days ago", "in_next_days": "in the next days",
    "anniversary_in_next_days": "has its anniversary in the next days",
    "within_days": "in the last days", "not_within_days": "not in the last days",
    "exists": "has a value", "missing": "has no value",
}  # fmt: skip
DATE_WORDS = WORDS | {
    "gt": "after", "gte": "from", "lt": "before", "lte": "until", "exists": "ever", "missing": "never",
}  # fmt: skip


def read_rules(text: str) -> dict[str, Any]:
    """The rules in JSON text, as the API takes them. Raises `Refused`."""
    return _rules(_from_json(text))


def read_conditions(form: Mapping[str, str]) -> list[dict[str, Any]]:
    """The first `MOST_COUNTED` conditions in a form, each as rules. Raises `Refused`."""
    conditions = _from_json(form.get("conditions", "[]"))
    return list(map(_rules, conditions[:MOST_COUNTED])) if isinstance(conditions, list) else []


def _from_json(text: str) -> Any:
    """The value of JSON text. Raises `Refused`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(NOT_SAVED, [FieldError("rules", NO_JSON)]) from error


def _rules(value: Any) -> dict[str, Any]:
    rules: dict[str, Any] = validate(RulesOnly(), {"rules": value}, NOT_SAVED)["rules"]
    return rules


def read_segment(form: Mapping[str, str]) -> dict[str, Any]:
    """The segment in a form, as the API takes it. Raises `Refused`."""
    sent = {
        "name": form.get("name", ""),
        "description": form.get("description", ""),
        "rules": _from_json(form.get("rules", "")),
    }
    return validate(NewSegment(), sent, NOT_SAVED)


def of_list(site: Site, chosen: Mapping[str, Any], text: str) -> Segment | None:
    """An unsaved segment with all filters of a list; None without a filter. Raises `NotFound`."""
    of_text = segments.beginning_rule(text) if text else None
    other = segments.get(site, chosen["segment"]).rules if "segment" in chosen else "null"
    rules = list_filters.as_rules(chosen, of_text, json.loads(other))
    return Segment(0, "", "", json.dumps({"all": rules}), 0, 0) if rules else None


def draft(sent: Mapping[str, str] | None, segment: Segment | None) -> dict[str, str]:
    """The fields of the form as sent, else the segment's, else a new one's."""
    if sent is not None:
        return {name: sent.get(name, "") for name in ("name", "description", "rules")}
    if segment is None:
        return {"name": "", "description": "", "rules": json.dumps(FIRST_RULE)}
    return {"name": segment.name, "description": segment.description, "rules": segment.rules}


def language(site: Site) -> dict[str, Any]:
    """The groups, subjects and operators of rules, and the site's names, for the rule builder."""
    return {
        "groups": HEADS,
        "subjects": {head: _subject(head) for head in ("status", "tag", *SUBJECTS)},
        "kinds": {name: operator.operand for name, operator in OPERATORS.items()},
        "fields": [*PLAIN_FIELDS, *(field.key for field in custom_fields.list_all(site))][:MOST_OFFERED],
        "events": segments.event_types(site),
        "tags": [tag.name for tag in tags.list_all(site)][:MOST_OFFERED],
        "domains": segments.common_domains(site),
    }


def _subject(head: str) -> dict[str, Any]:
    words = DATE_WORDS if head in DATES else WORDS
    return {
        "label": NAMES.get(head, head).capitalize(),
        "operators": {name: words.get(name, name) for name in SUBJECTS[head].operators},
        "is_date": head in DATES,
        "has_name": SUBJECTS[head].has_name,
    }
