"""Bounds on a JSON body, checked on its raw bytes before a parser builds anything of it."""

from itertools import accumulate

from audience.errors import NotUnderstood
from schemas.base import MAX_DEPTH

MAX_CONTAINERS = 200_000
MAX_DIGITS = 400
TOO_DEEP = f"The body is nested too deeply: send at most {MAX_DEPTH} levels."
TOO_MANY = f"The body has over {MAX_CONTAINERS:,} objects and arrays: split it into several requests."
TOO_LONG = f"The body has a number that is too long: send numbers of at most {MAX_DIGITS} digits."

ALIKE = bytes.maketrans(b"123456789", b"000000000")
LONG_NUMBER = b"0" * (MAX_DIGITS + 1)
NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
BLOCK_BYTES = 2**16
STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def check(raw: bytes) -> None:
    """Raises `NotUnderstood` if a body is out of bounds."""
    bare = _without_texts(raw)
    if LONG_NUMBER in bare.translate(ALIKE):
        raise NotUnderstood(TOO_LONG)
    brackets = bare.translate(None, NOT_BRACKETS)
    if len(brackets) > 2 * MAX_CONTAINERS:
        raise NotUnderstood(TOO_MANY)
    if max(accumulate(map(STEP.__getitem__, brackets)), default=0) > MAX_DEPTH:
        raise NotUnderstood(TOO_DEEP)


def _without_texts(raw: bytes) -> bytes:
    """A body without its texts, block by block: between two of them, other requests go on.

    A backslash outside of texts is no JSON: what follows it does not matter.
    """
    unescaped = raw.replace(rb"\\", b"").replace(rb"\"", b"")
    bare, in_text = [], False
    for start in range(0, len(unescaped), BLOCK_BYTES):
        parts = unescaped[start : start + BLOCK_BYTES].split(b'"')
        bare.append(b"".join(parts[in_text::2]))
        in_text ^= len(parts) % 2 == 0
    return b"".join(bare)
