"""Bounds on a JSON body, checked on its raw bytes before a parser builds anything of it."""

from collections.abc import Iterator
from itertools import accumulate

from audience.errors import NotUnderstood
from schemas.base import MAX_DEPTH
from schemas.codes import Code, Sentence

MAX_CONTAINERS = 200_000
MAX_DIGITS = 400
TOO_DEEP = Sentence(
    Code.BODY_OUT_OF_BOUNDS, f"The body is nested too deeply: send at most {MAX_DEPTH} levels."
)
TOO_MANY = Sentence(
    Code.BODY_OUT_OF_BOUNDS,
    f"The body has over {MAX_CONTAINERS:,} objects and arrays: split it into several requests.",
)
TOO_LONG = Sentence(
    Code.BODY_OUT_OF_BOUNDS,
    f"The body has a number that is too long: send numbers of at most {MAX_DIGITS} digits.",
)

ALIKE = bytes.maketrans(b"123456789", b"000000000")
LONG_NUMBER = b"0" * (MAX_DIGITS + 1)
NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
BLOCK_BYTES = 2**16
SLICE_BYTES = 2**12  # of brackets: a fifth of a millisecond
STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def check(raw: bytes) -> int:
    """Raises `NotUnderstood` for a body that exceeds the bounds. Returns the number of keys in all objects.

    Equal keys count separately. The number is right only for valid JSON.
    """
    all_brackets, count, digits, keys = list[bytes](), 0, b"", 0
    for bare in _without_texts(raw):
        keys += bare.count(b":")
        digits += bare.translate(ALIKE)
        if LONG_NUMBER in digits:
            raise NotUnderstood(TOO_LONG)
        digits = digits[-MAX_DIGITS:]
        brackets = bare.translate(None, NOT_BRACKETS)
        count += len(brackets)
        if count > 2 * MAX_CONTAINERS:
            raise NotUnderstood(TOO_MANY)
        all_brackets.append(brackets)
    _check_depth(b"".join(all_brackets))
    return keys


def _check_depth(brackets: bytes) -> None:
    """Raises `NotUnderstood` for brackets nested too deeply. Works in slices: other threads run between."""
    levels = [0]
    for start in range(0, len(brackets), SLICE_BYTES):
        steps = map(STEP.__getitem__, brackets[start : start + SLICE_BYTES])
        levels = list(accumulate(steps, initial=levels[-1]))
        if max(levels) > MAX_DEPTH:
            raise NotUnderstood(TOO_DEEP)


def _without_texts(raw: bytes) -> Iterator[bytes]:
    """Yields the body without its JSON strings, block by block, so that other threads can run between blocks.

    A backslash outside a string is never valid JSON: the parser refuses the body, whatever is counted here.
    """
    start, in_text = 0, False
    while start < len(raw):
        block = raw[start : start + BLOCK_BYTES]
        if (len(block) - len(block.rstrip(b"\\"))) % 2:  # no block ends between a backslash and its character
            block = raw[start : start + BLOCK_BYTES + 1]
        start += len(block)
        parts = block.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"')
        yield b"".join(parts[in_text::2])
        in_text ^= len(parts) % 2 == 0
