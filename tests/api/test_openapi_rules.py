"""The schema of rules takes what the reader of rules takes, and nothing else."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audience.api import openapi_rules
from audience.errors import Refused
from audience.segments import rules as segment_rules
from audience.segments.subjects import GROUPS, OPERATORS, SUBJECTS
from tests.depth import examples
from tests.described import validator

NOW = 1_787_000_000_000
OPERANDS = [
    "2026-08-21",
    "subscribed",
    "x" * 256,
    "",
    5,
    0,
    40_000,
    2_000_000,
    5.5,
    True,
    [],
    ["2026-08-21", 5],
    {},
]
WORDS = [*SUBJECTS, *OPERATORS, "nothing"]

operators = st.dictionaries(st.sampled_from([*OPERATORS, "nothing"]), st.sampled_from(OPERANDS), max_size=2)
conditions = st.dictionaries(st.sampled_from(WORDS), st.sampled_from(OPERANDS) | operators, max_size=3)
rules = st.recursive(
    conditions,
    lambda inner: st.dictionaries(
        st.sampled_from([*GROUPS, "tag"]), inner | st.lists(inner, max_size=2), max_size=2
    ),
    max_leaves=4,
)


@pytest.fixture
def is_described(app):
    """Whether the schema takes a rule; a function, which hypothesis names in a word."""
    schema = validator(app, openapi_rules.RULE)

    def is_valid(rule):
        return schema.is_valid(rule)

    return is_valid


def is_accepted(rule):
    try:
        segment_rules.read(rule, NOW, "rules")
    except Refused:
        return False
    return True


@pytest.mark.parametrize("rule", [json.loads(row.example) for row in SUBJECTS.values()], ids=str)
def test_the_example_of_each_subject(is_described, rule):
    assert is_described(rule)
    assert is_described({"all": [rule, {"not": {"any": [rule]}}]})
    assert not is_described({"all": [rule, {"not": {"any": [rule, {"nothing": 1}]}}]})


@given(rule=rules)
@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_schema_and_reader_agree(is_described, rule):
    assert is_described(rule) == is_accepted(rule)


@given(
    subject=st.sampled_from(list(SUBJECTS)), operand=st.sampled_from(OPERANDS) | operators, options=operators
)
@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_schema_and_reader_agree_on_conditions(is_described, subject, operand, options):
    rule = {subject: operand} | options
    assert is_described(rule) == is_accepted(rule)
