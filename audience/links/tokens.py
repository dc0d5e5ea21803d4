"""The token of a link: the signed uuid of a subscriber. It has no email address, and does not expire."""

import base64
import binascii
import hashlib
import hmac
import re
import struct
import uuid
from contextlib import suppress
from typing import NamedTuple

from itsdangerous import Signer

VERSION = 1
UNSUBSCRIBE, PREFERENCES, CONFIRM = "unsubscribe", "preferences", "confirm"  # no link is good as another
HEAD, MONTH = struct.Struct(">BH4s"), struct.Struct(">H")
NO_TOPIC = bytes(4)
LAYOUTS = {  # version, generation, site, subscriber, topic; then the address's hash, month
    UNSUBSCRIBE: struct.Struct(">BH4s16sI"),
    PREFERENCES: struct.Struct(">BH4s16sI4sH"),
    CONFIRM: struct.Struct(">BH4s16sI"),  # a sign-up and its form
}
PATTERN = re.compile(r"[\w-]{36,44}\.[\w-]{43}", re.ASCII)  # of tokens in a text
SITE_BYTES = ADDRESS_BYTES = 4
SEPARATOR = "."
MAX_LENGTH = 200


class Payload(NamedTuple):
    """What a token contains. `site_prefix` is the beginning of a site's uuid; `topic_id` 0 means all topics.

    Only a preferences link has an `address`, the first bytes of its keyed hash. `month` is when the link was
    made, counted from the year 0.
    """

    generation: int
    site_prefix: bytes
    uuid: bytes
    topic_id: int = 0
    address: bytes = bytes(ADDRESS_BYTES)
    month: int = 0


def signer(key: bytes) -> Signer:
    """The signer for a key. Each site, generation and purpose has its own key."""
    return Signer(key, sep=SEPARATOR, key_derivation="none", digest_method=hashlib.sha256)


def begin(generation: int, site_prefix: bytes) -> bytes:
    """The first bytes of every payload of a site and generation."""
    return HEAD.pack(VERSION, generation, site_prefix)


def write(packed: bytes, signs: Signer) -> str:
    """The token of a packed payload: its base64, then the signature."""
    return signs.sign(base64.urlsafe_b64encode(packed)).decode()


def read(purpose: str, token: str) -> Payload | None:
    """The payload of a token; None if it is malformed. The signature is not checked."""
    layout = LAYOUTS[purpose]
    if len(token) <= MAX_LENGTH and token.isascii():
        with suppress(binascii.Error, struct.error):
            packed = base64.b64decode(token.partition(SEPARATOR)[0], altchars=b"-_", validate=True)
            version, *values = layout.unpack(packed)
            return Payload(*values) if version == VERSION else None
    return None


def is_signed(token: str, key: bytes) -> bool:
    """Whether the key gives exactly this token, in no other spelling. `read` must have accepted it."""
    packed = base64.urlsafe_b64decode(token.partition(SEPARATOR)[0])
    return hmac.compare_digest(write(packed, signer(key)), token)


def uuid_text(packed: bytes) -> str:
    return str(uuid.UUID(bytes=packed))
