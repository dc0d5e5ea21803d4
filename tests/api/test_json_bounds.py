"""Bounds on a body's bytes see what a JSON parser sees, wherever the blocks end that they are read in."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audience.api import json_bounds
from audience.errors import NotUnderstood

TEXTS = st.text(st.sampled_from('a"\\[]{}9é'), max_size=9)
VALUES = st.recursive(
    TEXTS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


@given(VALUES, st.integers(1, 9), st.booleans())
def test_the_depth_is_that_of_the_parsed_value(value, block, is_ascii):
    raw = json.dumps(value, ensure_ascii=is_ascii).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_bounds, "BLOCK_BYTES", block)
        patch.setattr(json_bounds, "MAX_DEPTH", depth(value))
        json_bounds.check(raw)
        patch.setattr(json_bounds, "MAX_DEPTH", depth(value) - 1)
        if depth(value):
            with pytest.raises(NotUnderstood):
                json_bounds.check(raw)


@pytest.mark.parametrize(
    "raw", [b'"' + b"[" * 99, b'{"a":"' + b"[" * 99 + b"\\", b'"' + b"\\" * 99 + b'"' + b"]" * 9]
)
def test_a_text_may_break_off(raw):
    json_bounds.check(raw)
