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
PIECE = re.compile(rb'(?:[^"]++|%b){1,10000}+' % TEXT.pattern, re.DOTALL)  # has few texts: each costs memory
ALIKE = bytes.maketrans(b"123456789", b"000000000")
NUMBER = b"0" * (MAX_DIGITS + 1)
NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def check(raw: bytes) -> None:
    """Raises `NotUnderstood` if a body is out of bounds."""
    count = depth = 0
    for piece in PIECE.finditer(raw):
        bare = TEXT.sub(b"", piece[0])
        if NUMBER in bare.translate(ALIKE):
            raise NotUnderstood(TOO_LONG)
        brackets = bare.translate(None, NOT_BRACKETS)
        count += len(brackets)
        if count > 2 * MAX_CONTAINERS:
            raise NotUnderstood(TOO_MANY)
        depths = list(accumulate(map(STEP.__getitem__, brackets), initial=depth))
        if max(depths) > MAX_DEPTH:
            raise NotUnderstood(TOO_DEEP)
        depth = depths[-1]
