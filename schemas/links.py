"""The links of a subscriber on the wire (docs/contract.md, Links)."""

import re
from typing import Any
from urllib.parse import unquote

import marshmallow as ma

from schemas.base import Switch, Text, describe
from schemas.codes import Code, Sentence
from schemas.responses import ResponseSchema, shape

COLUMNS = {"unsubscribe": "unsubscribe_url", "preferences": "preferences_url"}  # of a file, by purpose
RESERVED = frozenset({"links", *COLUMNS.values()})  # never the keys of custom values
PURPOSES = (*COLUMNS, "confirm")
LINK = re.compile(r"/(?:unsubscribe|preferences|confirm)/[\w-]{36,44}\.[\w-]{43}", re.ASCII)
SHORTEST = 90  # characters of a link; a shorter text is not looked into
REFUSED = Sentence(
    Code.LINK_REFUSED,
    "Leave this value out: it is a link that acts for a subscriber. Links are made again when they are "
    "needed.",
)
NOTE = "links_note"
WITH_LINKS = "With `1`, each subscriber has its links. This needs the scope `mailer` or `full`."


def has_link(text: str) -> bool:
    """Whether a text contains, perhaps percent-encoded, a link of any instance that acts for a subscriber."""
    text = unquote(text) if "%" in text else text
    return any(f"/{purpose}/" in text for purpose in PURPOSES) and LINK.search(text) is not None


class PersonName(Text):
    """A first or last name, without a link that acts for a subscriber."""

    def _deserialize(self, value: Any, *arguments: Any, **options: Any) -> str:
        return without_link(super()._deserialize(value, *arguments, **options))


def without_link(text: str) -> str:
    """Returns `text`. Raises `ma.ValidationError` if it contains a link that acts for a subscriber."""
    if has_link(text):
        raise ma.ValidationError(REFUSED)
    return text


def switch() -> Switch:
    """The parameter that asks for links."""
    return Switch(**describe(WITH_LINKS))


class SubscriberLinks(ResponseSchema):
    """Whoever has these URLs can act for the subscriber."""

    unsubscribe = ma.fields.String()
    preferences = ma.fields.String()


def links() -> ma.fields.Nested:
    """The schema of the key `links` of a resource."""
    return ma.fields.Nested(SubscriberLinks, **describe("Only with `links=1`.", may_be_absent=True))


def note() -> ma.fields.String:
    """The schema of the key `links_note`, beside the data of an answer or in its `meta`."""
    return ma.fields.String(
        **describe("Why links cannot be followed at present; absent if they can.", may_be_absent=True)
    )


LinksAnswer = shape("LinksAnswer", data=ma.fields.Nested(SubscriberLinks, allow_none=True), **{NOTE: note()})


def note_part(text: str) -> dict[str, Any]:
    """The key `links_note` with a text; nothing without one."""
    return {NOTE: text} if text else {}
