"""The fast path for an import's rows agrees with the schema."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.base import FormError, load
from schemas.imports import ImportItem, plain_item
from schemas.subscribers import RESERVED
from schemas.values import NAMES

NUMBERS = st.one_of(
    st.integers(-(2**65), 2**65), st.sampled_from([2**63, 2**63 - 1, -(2**63), -(2**63) - 1]), st.floats()
)
TEXTS = st.text(st.characters(), max_size=8)  # half surrogate pairs and NUL among them
SCALARS = st.one_of(
    st.none(), st.booleans(), NUMBERS, TEXTS, st.sampled_from(["", " ", "a, b,,", "x@example.com"])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=4
)  # fmt: skip
PLAIN = st.sampled_from(["plan", "age", "Größe", "a.b-c$", "k" * 100])
UNUSUAL = st.sampled_from(["", " ", "k" * 101, "my plan", "first name", "first_name ", "?", "_schema"])
KNOWN = st.sampled_from([*sorted(RESERVED), "first_name", "last_name"])
KEYS = st.one_of(PLAIN, UNUSUAL, KNOWN, TEXTS)
FIELDS = st.one_of(VALUES, st.dictionaries(KEYS, VALUES, max_size=3))
ITEMS = st.one_of(
    VALUES,
    st.fixed_dictionaries(
        {"email": st.sampled_from([" ada@example.com", "nonsense", ""]) | VALUES},
        optional={
            **{name: st.sampled_from(["a", "", " a , ,b", "subscribe", ["a", " b,c"]]) | VALUES
               for name in (*NAMES, "tags", "remove_tags", "command")},
            "fields": FIELDS,
        },
    ).flatmap(lambda known: st.dictionaries(KEYS, VALUES, max_size=3).map(lambda further: further | known)),
)  # fmt: skip


def loaded(item):
    try:
        return load(ImportItem(), item)
    except FormError:
        return None


@given(ITEMS)
@example({"email": "a@example.com", "plan": 1, "fields": {"plan": 2}})
@example({"email": "a@example.com", "plan": 1, "fields": {"plan": None}})
@example({"email": "a@example.com", "first_name": "a", "fields": {"first_name": "b"}})
@example({"email": "a@example.com", "fields": []})
@example({"email": "a@example.com", "plan": True, "tags": " , ", "remove_tags": None})
@example({"email": "a@example.com", "command": "subscribe"})
@example({"email": "a@example.com", "command": " subscribe"})
@example({"email": "a@example.com", "command": ""})
@example({"email": "a@example.com", "tags": ["a, b", None, " ", "\u2126"], "remove_tags": []})
@example({"email": "a@example.com", "tags": ["a", 1]})
@example({"email": "a@example.com", "tags": ["k" * 256]})
@example({"email": "a@example.com", "tags": ["a\0"], "remove_tags": ["\ud800"]})
@example([])
def test_the_fast_path_agrees_with_the_schema(item):
    row = plain_item(item)
    if row is not None:
        assert repr(sorted(row.items())) == repr(sorted(loaded(item).items()))


@given(
    st.fixed_dictionaries(
        {"email": st.just("ada@example.com")},
        optional={
            "first_name": st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), min_size=1),
            "tags": st.sampled_from(["a,b", ["a", " b", "ü"], []]), "remove_tags": st.just(["c,d"]),
            "command": st.sampled_from(["subscribe", "unsubscribe"]), "id": st.integers(-(2**63), 2**63 - 1),
            "fields": st.dictionaries(PLAIN, st.booleans()),
            "plan": st.floats(allow_nan=False, allow_infinity=False),
        },
    )
)  # fmt: skip
def test_common_rows_take_the_fast_path(item):
    assert plain_item(item) is not None


@given(ITEMS)
def test_every_loaded_row_can_be_stored(item):
    row = loaded(item)
    if row is not None:
        repr(row).encode()
        assert set(row) <= {"email", "first_name", "last_name", "tags", "remove_tags", "fields", "command"}
        assert row["email"].strip()
        assert all(1 <= len(key) <= 100 for key in row.get("fields", {}))


def test_errors_come_in_the_order_of_the_resource():
    with pytest.raises(FormError) as error:
        load(ImportItem(), {"email": "a@b.example", "tags": {"a": 1}, "last_name": [1], "first_name": [1]})
    assert [problem.field for problem in error.value.problems] == ["first_name", "last_name", "tags"]
