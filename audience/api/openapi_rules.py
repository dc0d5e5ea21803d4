"""The rules of a segment as a JSON Schema that refers to itself, from the tables of their language."""

import json
from typing import Any

from audience.segments.subjects import (
    GROUPS,
    MAX_ANNIVERSARY,
    MAX_DAYS,
    MAX_EVENTS,
    MAX_NAME_LENGTH,
    MAX_VALUES,
    OPERATORS,
    SUBJECTS,
    Subject,
)

JsonObject = dict[str, Any]

RULE = {"$ref": "#/components/schemas/Rule"}
MATCHED = {"$ref": "#/components/schemas/MatchedRule"}
NAME = {"type": "string", "minLength": 1, "maxLength": MAX_NAME_LENGTH}
TEXT = {"type": "string", "minLength": 1}
DATE = {
    "type": "string",
    "pattern": r"^\d{4}",
    "description": "An ISO 8601 date or date-time.",
    "examples": ["2026-08-21"],
}
VALUES: dict[str, JsonObject] = {  # of other subjects: text
    "field": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]},
    "status": {"type": "string", "enum": ["subscribed", "unsubscribed"]},
}
BOUNDS: dict[str, JsonObject] = {  # of other subjects: a date
    "field": {"anyOf": [{"type": "number"}, DATE]}
}
OPERANDS: dict[str, JsonObject] = {  # of the kinds that are the same for each subject
    "text": TEXT,
    "days": {"type": "integer", "minimum": 1, "maximum": MAX_DAYS},
    "day": {"type": "integer", "minimum": 0, "maximum": MAX_DAYS},
    "anniversary": {"type": "integer", "minimum": 0, "maximum": MAX_ANNIVERSARY},
    "flag": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 1, "maximum": MAX_EVENTS},
}


def schemas() -> dict[str, JsonObject]:
    """The components for rules: each group and subject, and `Rule`, which is any of them."""
    parts = {title(name, "Rule"): group(name) for name in GROUPS}
    parts |= {title(name, "Rule"): condition(name, row) for name, row in SUBJECTS.items()}
    references = [{"$ref": f"#/components/schemas/{name}"} for name in parts]
    rule = {"description": "Selects subscribers; see docs/segments.md.", "anyOf": references}
    return {"Rule": rule} | parts | {"MatchedRule": rule_result()}


def rule_result() -> JsonObject:
    """The schema of a rule in which each node has its result."""
    return {
        "type": "object",
        "description": "A rule as it was saved, and whether the subscriber matches it.",
        "properties": {
            "matches": {"type": "boolean"},
            "value": {
                "description": "The value of the subscriber that the condition looked at; null if there is "
                "none."
            },
            "all": {"type": "array", "items": MATCHED},
            "any": {"type": "array", "items": MATCHED},
            "not": MATCHED,
        },
        "required": ["matches"],
        "additionalProperties": {"description": "The condition."},
    }


def title(name: str, ending: str) -> str:
    return f"{name.title().replace('_', '')}{ending}"


def group(name: str) -> JsonObject:
    rules = RULE if name == "not" else {"type": "array", "items": RULE}
    return closed({name: rules}, 1, required=[name], description=sentence(GROUPS[name]))


def condition(name: str, subject: Subject) -> JsonObject:
    options = {
        operator: operand(name, OPERATORS[operator].operand) | {"description": OPERATORS[operator].meaning}
        for operator in subject.operators
    }
    texts = {"description": sentence(subject.meaning), "examples": [json.loads(subject.example)]}
    if subject.has_name:
        least = 1 if name == "event" else 2
        return closed({name: NAME} | options, least, required=[name], **texts)
    operators = closed(options, 1, title=title(name, "Operators"))
    allowed = {"anyOf": [operand(name, "value"), operators]} if "is" in options else operators
    return closed({name: allowed}, 1, required=[name], **texts)


def operand(subject: str, kind: str) -> JsonObject:
    value = VALUES.get(subject, TEXT)
    if kind == "values":
        return {"type": "array", "items": value, "minItems": 1, "maxItems": MAX_VALUES}
    return (OPERANDS | {"value": value, "bound": BOUNDS.get(subject, DATE)})[kind]


def closed(properties: JsonObject, least: int, **more: Any) -> JsonObject:
    """The schema of an object that has only these properties, and at least `least` of them."""
    return (
        {"type": "object", "properties": properties, "minProperties": least}
        | more
        | {"additionalProperties": False}
    )


def sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
