"""Values round-trip through CSV cells, and no cell is a formula."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.formats import csv_values

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
hostile = st.text("'=+-@\t\r\n\"[]{}0123456789.eEtruefals, \\u;")
scalars = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    scalars | text | hostile, lambda inner: st.lists(inner) | st.dictionaries(text, inner), max_leaves=8
)


@given(values)
def test_a_custom_value_keeps_its_type(value):
    cell = csv_values.write_value(value)
    assert repr(csv_values.read_value(cell)) == repr(value)
    assert cell
    assert not isinstance(value, str) or cell[0] not in "=+-@\t\r\n"


@given(text | hostile)
def test_text_round_trips_and_is_never_a_formula(value):
    cell = csv_values.write_text(value)
    assert csv_values.read_text(cell) == value
    assert cell[:1] not in tuple("=+-@\t\r\n")


@given(st.lists((text | hostile).map(str.strip).filter(bool)))
def test_tags_round_trip_whatever_their_names(names):
    assert csv_values.read_tags(csv_values.write_tags(names)) == names


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("pro", "pro"), ("12", 12), ("-3", -3), ("1.5", 1.5), ("true", True), ("false", False),
        ("007", "007"), ("1.10", "1.10"), ("1e5", "1e5"), ("+47 555", "+47 555"), ("null", "null"),
        ("TRUE", "TRUE"), ('"12"', "12"), ('""', ""), ("'=1+1", "=1+1"), ("'tis", "'tis"), ("''=x", "'=x"),
        ('["a",1]', ["a", 1]), ("[a]", "[a]"), ('{"a":null}', {"a": None}), ("[NaN]", "[NaN]"),
        ("12345678901234567890", "12345678901234567890"), ("2026-01-01", "2026-01-01"),
        ("[1e999]", "[1e999]"), ("[" * 65 + "]" * 65, "[" * 65 + "]" * 65), ("[" * 9000, "[" * 9000),
        ('"\\ud800"', '"\\ud800"'), ("9" * 5000, "9" * 5000),
    ],
)  # fmt: skip
def test_values_of_cells(cell, value):
    assert json.dumps(csv_values.read_value(cell)) == json.dumps(value)
