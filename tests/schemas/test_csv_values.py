"""Values round-trip through CSV cells, and no cell is a formula."""

import json

from hypothesis import given
from hypothesis import strategies as st

from schemas.formats import csv_values
from schemas.tags import tag_name
from tests.rows import each_row

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20\t\r\n"
hostile = st.text("'=+-@\uff1d\uff0b\uff0d\uff20\t\r\n\"[]{}0123456789.eEtruefals, \\u;")
scalars = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    scalars | text | hostile, lambda inner: st.lists(inner) | st.dictionaries(text, inner), max_leaves=8
)


@given(values)
def test_a_custom_value_keeps_its_type(value):
    cell = csv_values.write_value(value)
    assert repr(csv_values.read_value(cell)) == repr(value)
    assert cell
    assert not isinstance(value, str) or cell[0] not in FORMULA


@given(text | hostile)
def test_text_round_trips_and_is_never_a_formula(value):
    cell = csv_values.write_text(value)
    assert csv_values.read_text(cell) == value
    assert cell[:1] not in tuple(FORMULA)


@each_row("first", FORMULA)
def test_no_beginning_of_a_formula_is_left_to_chance(first):
    assert csv_values.write_text(f"{first}1+1") == f"'{first}1+1"


@given(st.lists((text | hostile).map(tag_name).filter(bool)))
def test_tags_round_trip_whatever_their_names(names):
    assert csv_values.read_tags(csv_values.write_tags(names)) == names


@each_row(
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


@each_row(
    ("cell", "address"),
    [
        ("Xa Lo <xa@example.org>", "xa@example.org"), ("<xa@example.org>", "xa@example.org"),
        ('"Lo, Xa" <xa@example.org> ', "xa@example.org"), ("Xa < mailto:xa@example.org >", "xa@example.org"),
        (" ya@example.org\u00a0", "ya@example.org"), ("mailto:za@example.org", "za@example.org"),
        ("MAILTO: za@example.org?subject=Hi", "za@example.org"),
        ("\ufeff\u200bza@example.org\u200e\u00ad ", "za@example.org"),
        ("'+a@example.org", "+a@example.org"), ("Xa <none>", "Xa <none>"),
        ('="xa@example.org"', "xa@example.org"), ("xa@example.org;", "xa@example.org"),
        ("Xa <xa@example.org>, ", "xa@example.org"), ("xa@example.org.", "xa@example.org"),
        ("\u201cxa@example.org\u201d", "xa@example.org"), ("'xa@example.org'", "xa@example.org"),
        ('"xa@example.org";', "xa@example.org"), ("xa\uff20\uff45x\uff0e\uff4frg", "xa@ex.org"),
        ('"x y"@example.org', '"x y"@example.org'), ("xa@example.org (work)", "xa@example.org (work)"),
        ('="a" & "b@example.org"', '="a" & "b@example.org"'), ('"', '"'), (";", ""),
        ("xa@example.org>", "xa@example.org>"), ("", ""), (">", ">"), ("<@", "<@"),
    ],
)  # fmt: skip
def test_addresses_are_taken_out_of_what_surrounds_them(cell, address):
    assert csv_values.read_address(cell) == address


@each_row(
    ("cell", "names"),
    [
        ('"vip","newsletter 2023"', ["vip", "newsletter 2023"]), ('"vip", "a, b",c', ["vip", "a, b", "c"]),
        ('plain, "two words"', ["plain", "two words"]), ('"say ""hi"""', ['say "hi"']),
        ('19" screens,vip', ['19" screens', "vip"]), ('"vip,new', ['"vip', "new"]), ('"a"b,c', ['"a"b', "c"]),
        ('"",vip', ["vip"]), ('"two\nlines",b', ["two lines", "b"]),
        ("\ufeff vip,beta\u200b", ["vip", "beta"]),
        ('["a,b"]', ["a,b"]), ("[a],b", ["[a]", "b"]), ("", []), ('"', ['"']),
    ],
)  # fmt: skip
def test_tags_may_be_quoted_one_by_one(cell, names):
    assert csv_values.read_tags(cell) == names


@each_row(
    ("value", "read"),
    [
        (3, 3), (1.5, 1.5), (True, True), ("12", "12"), ("true", "true"), ('"12"', "12"), ("[1]", [1]),
        ('{"city": "Bern"}', {"city": "Bern"}), ("'=1+1", "=1+1"), ("[x", "[x"),
    ],
)  # fmt: skip
def test_values_of_typed_cells(value, read):
    assert repr(csv_values.read_typed(value)) == repr(read)


def test_attributes_in_json_are_an_object():
    assert csv_values.read_value('{"city": "Bern", "age": 33}') == {"city": "Bern", "age": 33}
    assert csv_values.read_value("{}") == {}
