"""Makes sure that a request that writes means one subscriber, command, site or tag (docs/contract.md, Every
request).

A JSON parser keeps only the last of equal keys. So if a body has more keys than its parser kept, it is parsed
again, to find equal keys that mean different things. An object with such keys becomes `Doubled`, which has
all their values; forms refuse it.
"""

import json
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from audience import addresses
from audience.errors import NotUnderstood
from audience.subscribers import tags
from schemas.base import CONTAINERS, Doubled, RequestSchema, with_dashes
from schemas.codes import Code, Sentence
from schemas.subscribers import built_in, decode_address
from schemas.tags import tag_name
from schemas.values import trim

SUBSCRIBERS = Sentence(
    Code.SEVERAL_SUBSCRIBERS,
    "The request names several subscribers: send one email, one uuid, or both of one subscriber.",
)
NAMES = ("email", "uuid")


def _address(value: Any) -> str:
    text = decode_address(str(value))
    try:
        return addresses.identity(text)
    except addresses.MalformedAddress:
        return text.casefold()


def _uuid(value: Any) -> str:
    return with_dashes(trim(str(value)))


def _subscriber(value: Any) -> Any:
    return (_address(value.get("email")), _uuid(value.get("uuid"))) if isinstance(value, dict) else str(value)


def _tag(value: Any) -> str:
    return tags.name_key(tag_name(str(value.get("name") if isinstance(value, dict) else value)))


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


MEANINGS: dict[str, Callable[[Any], Any]] = {
    "email": _address, "uuid": _uuid, "site_uuid": _uuid, "name": _tag, "command": _json, "query": _json,
    "type": _json, "subscriber": _subscriber, "tag": _tag,
}  # fmt: skip
ITEM = frozenset({"email", "uuid", "site_uuid", "command"})
PLACES = {
    "subscriber": ITEM,
    "subscribers": ITEM,
    "command": ITEM | {"query"},
    "events": ITEM | {"type"},
    "tag": frozenset({"name"}),
}
BODY = ITEM | {"subscriber", "tag", "type"}


def check(
    in_query: Mapping[str, list[str]], body: Mapping[str, Any], form: RequestSchema, query: bool
) -> None:
    """Raises `NotUnderstood` if the request names several subscribers.

    With `query`, the endpoint takes values from query and body, so both must name the same subscriber.
    """
    inner = body.get("subscriber") if "subscriber" in form.keys else None
    holders = [body, inner] if isinstance(inner, Mapping) else [body]
    doubled = body.doubled if query and isinstance(body, Doubled) else {}
    for name in NAMES:
        in_body = [*doubled.get(name, ()), *(holder.get(name) for holder in holders)]
        sent = in_query.get(name, [])
        if any(_are_two(name, values) for values in ([[*sent, *in_body]] if query else [sent, in_body])):
            raise NotUnderstood(SUBSCRIBERS)


def _are_two(name: str, values: list[Any]) -> bool:
    """Whether the values of a key, without blank ones, have different meanings."""
    sent = [value for value in values if value is not None and trim(str(value))]
    return len(sent) > 1 and _means_two(name, sent)


def has_keys(body: Any, keys: int) -> bool:
    """Whether a parsed body has at least `keys` keys in all. Stops counting there."""
    level = [body]
    while level:
        objects = [member for member in level if type(member) is dict]
        keys -= sum(map(len, objects))
        if keys <= 0:
            return True
        arrays = [member for member in level if type(member) is list]
        inner = chain(*map(dict.values, objects), *arrays)
        level = [member for member in inner if type(member) in CONTAINERS]
    return False


def parse(text: str) -> Any:
    """Parses a body. Where it names what it writes to, objects with ambiguous keys become `Doubled`."""
    body = json.loads(text, object_pairs_hook=_object)
    if not isinstance(body, dict):
        return body
    values = {name: _strip_marks(value, PLACES.get(name, frozenset())) for name, value in body.items()}
    return _mark(values, body, BODY)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    values: dict[str, list[Any]] = {}
    for key, value in pairs:
        values.setdefault(key, []).append(value)
    doubled = {key: sent for key, sent in values.items() if len(sent) > 1 and _means_two(key, sent)}
    return Doubled(members, doubled)


def _means_two(key: str, values: list[Any]) -> bool:
    """Whether the values of a key have different meanings, such as two addresses."""
    meaning = MEANINGS.get(built_in(key) or key)
    return meaning is not None and len(set(map(meaning, values))) > 1


def _strip_marks(value: Any, names: frozenset[str]) -> Any:
    """The value with `Doubled` objects only where keys in `names` are repeated at the top level."""
    if isinstance(value, list):
        return [_strip_marks(member, names) for member in value]
    if not isinstance(value, dict):
        return value
    return _mark({key: _strip_marks(member, frozenset()) for key, member in value.items()}, value, names)


def _mark(values: dict[str, Any], data: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """The `values`, as `Doubled` if `data` repeats one of the keys in `names`."""
    doubled = data.doubled if isinstance(data, Doubled) else {}
    named = {built_in(key) or key: sent for key, sent in doubled.items()}
    named = {key: sent for key, sent in named.items() if key in names}
    return Doubled(values, named) if named else values
