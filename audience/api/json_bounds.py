"""Bounds on a JSON body, checked on its raw bytes before a parser builds anything of it."""

import re
from itertools import accumulate

from audience.errors import NotUnderstood
from schemas.base import MAX_DEPTH

MAX_CONTAINERS = 200_000
MAX_DIGITS = 400
TOO_DEEP = f"The body is nested too deeply: send at most {MAX_DEPTH} levels."
TOO_MANY = f"The body has over {MAX_CONTAINERS:,} objects and arrays: split it into several requests."
TOO_LONG = f"The body has a number that is too long: send numbers of at most {MAX_DIGITS} digits."

TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
DIGITS = re.compile(rb"(?<![0-9])[0-9]{%d}" % (MAX_DIGITS + 1))
NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def check(raw: bytes) -> None:
    """Raises `NotUnderstood` if a body is out of bounds."""
    bare = TEXT.sub(b"", raw)
    if DIGITS.search(bare):
        raise NotUnderstood(TOO_LONG)
    brackets = bare.translate(None, NOT_BRACKETS)
    if len(brackets) > 2 * MAX_CONTAINERS:
        raise NotUnderstood(TOO_MANY)
    if max(accumulate(map(STEP.__getitem__, brackets)), default=0) > MAX_DEPTH:
        raise NotUnderstood(TOO_DEEP)
