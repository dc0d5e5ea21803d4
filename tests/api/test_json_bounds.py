"""Bounds on a body's bytes see what a JSON parser sees, wherever the blocks end that they are read in."""

import json
import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audience.api import json_bounds, targets
from audience.errors import NotUnderstood
from tests import response_assertions

TEXTS = st.text(st.sampled_from('a"\\[]{}9é:'), max_size=9)
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
        patch.setattr(json_bounds, "SLICE_BYTES", block)
        patch.setattr(json_bounds, "MAX_DEPTH", depth(value))
        json_bounds.check(raw)
        patch.setattr(json_bounds, "MAX_DEPTH", depth(value) - 1)
        if depth(value):
            with pytest.raises(NotUnderstood):
                json_bounds.check(raw)


@given(VALUES, st.integers(1, 9), st.booleans())
def test_all_keys_are_counted_and_equal_ones_again(value, block, is_ascii):
    text = json.dumps(value, ensure_ascii=is_ascii)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_bounds, "BLOCK_BYTES", block)
        keys = json_bounds.check(text.encode())
        twice = f'{{"": {text}, "{chr(92)}u0061:": 1, "": {text}}}'
        assert json_bounds.check(twice.encode()) == 2 * keys + 3
    assert targets.has_keys(value, keys)
    assert not targets.has_keys(value, keys + 1)
    assert not targets.has_keys(json.loads(twice), 2 * keys + 3)


@pytest.mark.parametrize(
    "raw", [b'"' + b"[" * 99, b'{"a":"' + b"[" * 99 + b"\\", b'"' + b"\\" * 99 + b'"' + b"]" * 9]
)
def test_a_text_may_break_off(raw):
    json_bounds.check(raw)


@pytest.mark.parametrize("part", [b"[],", b"{},", b'{"a":{}},'])
def test_a_body_of_too_many_containers_is_a_400(client, part):
    inside = part.count(b"[") + part.count(b"{")
    most = b'{"a":[' + part * (199_998 // inside) + b"0]}"
    response_assertions.error(client.call("POST", "/batch/subscribers", data=most), 422)
    more = b'{"a":[' + part * (200_000 // inside) + b"0]}"
    assert "objects and arrays" in client.call("POST", "/batch/subscribers", data=more).json["error"]


def test_brackets_and_digits_in_text_do_not_count(client):
    text = json.dumps('["' * 15_000 + "9" * 500 + '\\"')
    body = f'{{"subscribers": [{{"email": "a@example.com", "note": {text}, "more": {text}}}]}}'
    assert client.call("POST", "/batch/subscribers", data=body.encode()).json["result"] == 1


@pytest.mark.parametrize("part", [b'"",', b'"', b'"a",1,', b'[],"\\"",', b'"\\"'])
def test_the_bounds_are_checked_within_the_size_of_the_body(part):
    body = part * (2**20 // len(part))
    tracemalloc.start()
    try:
        with suppress(NotUnderstood):
            json_bounds.check(body)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(body)
    finally:
        tracemalloc.stop()


def test_bounds_hold_across_many_texts():
    text = b'"",' * 30_000
    json_bounds.check(b"[" * 64 + text + b"0" + b"]" * 64)
    for body in (b"[" * 33 + text + b"[" * 32, text + b"1" * 401, text.join([b"[],[]," * 40_000] * 3)):
        with pytest.raises(NotUnderstood):
            json_bounds.check(body)


@pytest.mark.parametrize("number", [b"9" * 401, b"1." + b"0" * 401, b"1e" + b"0" * 401])
def test_a_number_of_too_many_digits_is_a_400(client, number):
    response = client.call("POST", "/fetch/search", data=b'{"page": ' + number + b"}")
    assert "400 digits" in response_assertions.answer(response, 400)["error"]
