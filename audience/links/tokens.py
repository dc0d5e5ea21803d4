"""The token of a link: whose it is, signed. It has no address, and does not expire."""

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
    """`site` begins the site's uuid, `topic_id` is 0 for all. Only a link to preferences has `address`, which
    begins the keyed hash of the address, and the `month` in which it was made, since the year 0.
    """

    generation: int
    site: bytes
    uuid: bytes
    topic_id: int = 0
    address: bytes = bytes(ADDRESS_BYTES)
    month: int = 0


def signer(key: bytes) -> Signer:
    """Of a key that is of one site, generation and purpose."""
    return Signer(key, sep=SEPARATOR, key_derivation="none", digest_method=hashlib.sha256)


def begin(generation: int, site: bytes) -> bytes:
    """What the payloads of a site begin with; the subscriber's follow, and the rest of the layout."""
    return HEAD.pack(VERSION, generation, site)


def write(packed: bytes, signs: Signer) -> str:
    """The token of a payload."""
    return signs.sign(base64.urlsafe_b64encode(packed)).decode()


def read(purpose: str, token: str) -> Payload | None:
    """What a token says, whoever has signed it; None if it is of another form."""
    layout = LAYOUTS[purpose]
    if len(token) <= MAX_LENGTH and token.isascii():
        with suppress(binascii.Error, struct.error):
            packed = base64.b64decode(token.partition(SEPARATOR)[0], altchars=b"-_", validate=True)
            version, *values = layout.unpack(packed)
            return Payload(*values) if version == VERSION else None
    return None


def is_signed(token: str, key: bytes) -> bool:
    """Whether a token that was read is the one that the key makes: no other spelling of it is good."""
    packed = base64.urlsafe_b64decode(token.partition(SEPARATOR)[0])
    return hmac.compare_digest(write(packed, signer(key)), token)


def uuid_text(packed: bytes) -> str:
    return str(uuid.UUID(bytes=packed))
