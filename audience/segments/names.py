"""The tags and custom fields that the segments, reports and forms of a site mention."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from audience.subscribers.tags import name_key
from schemas.values import compact_json
from storage.forms import forms
from storage.reports import reports
from storage.segments import segments


class MentionedNames(NamedTuple):
    """The name keys of the mentioned tags, and the keys of the mentioned custom fields."""

    tags: set[str]
    fields: set[str]


def mentions(site_id: int) -> MentionedNames:
    """The tags and custom fields that segments, reports and forms mention, in the caller's session."""
    mentioned = MentionedNames(set(), set())
    for segment in segments.list_all(site_id):
        for node in _nodes(json.loads(segment.rules)):
            mentioned.tags.update(map(name_key, _texts(node.get("tag"))))
            mentioned.fields.update(_texts(node.get("field")))
    settings = (json.loads(report.settings) for report in reports.list_all(site_id))
    mentioned.fields.update(text for setting in settings for text in _texts(setting.get("field")))
    for form in forms.list_all(site_id):
        definition = json.loads(form.definition)
        mentioned.tags.update(map(name_key, definition["tags"]))
        mentioned.fields.update(key for key, *_ in definition["fields"])
    return mentioned


def users_of_field(site_id: int, key: str) -> list[str]:
    """The segments and reports that mention a custom field, as texts such as `segment Pro users`, in the
    caller's session.
    """
    named = [
        f"segment {segment.name}"
        for segment in segments.list_all(site_id)
        if any(key in _texts(node.get("field")) for node in _nodes(json.loads(segment.rules)))
    ]
    return named + [
        f"report {report.name}"
        for report in reports.list_all(site_id)
        if key in _texts(json.loads(report.settings).get("field"))
    ]


def rename_tag(site_id: int, key: str, name: str, at: int) -> None:
    """Puts a tag's new name into the segments that name it by the name key `key`, in the caller's
    transaction.
    """
    for segment in segments.list_all(site_id):
        rules = json.loads(segment.rules)
        for node in _nodes(rules):
            if "tag" in node:
                node["tag"] = _renamed(node["tag"], key, name)
        if (text := compact_json(rules)) != segment.rules:
            segments.change(site_id, segment.id, segment.name, segment.description, text, at)


def _renamed(operand: Any, key: str, name: str) -> Any:
    """An operand, or an object of operands by operator, with a tag's new name."""
    if isinstance(operand, dict):
        return {operator: _renamed(inner, key, name) for operator, inner in operand.items()}
    if isinstance(operand, list):
        return list(dict.fromkeys(_renamed(inner, key, name) for inner in operand))
    return name if isinstance(operand, str) and name_key(operand) == key else operand


def _nodes(rules: Any) -> Iterator[dict[str, Any]]:
    waiting = [rules]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
        waiting += node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()


def _texts(operand: Any) -> Iterator[str]:
    """Yields all texts in an operand, or in an object of operands by operator."""
    if isinstance(operand, str):
        yield operand
    for inner in (
        operand.values() if isinstance(operand, dict) else operand if isinstance(operand, list) else ()
    ):
        yield from _texts(inner)
