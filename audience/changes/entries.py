"""The entries of one row of the record of changes, packed.

A created subscriber is an id only. A change is [id, new values, old values] of what changed, with tags as ids
[added, removed]. An address is in an entry only if the address itself changed.
"""

import zlib
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import orjson

from audience.changes.changes import json_equal
from audience.changes.consents import ConsentBefore
from schemas.values import compact_json
from storage.changes.consents import ConsentKind

LEVEL = 1
CREATED, UPDATED, SUBSCRIBED, UNSUBSCRIBED, ERASED, RESET = (
    "created", "updated", "subscribed", "unsubscribed", "erased", "reset",
)  # fmt: skip

Values = dict[str, Any]
Changed = tuple[int, Values, Values]  # id, new, old
Lifted = tuple[int, str, int, int, int]  # id, reason, since, number, kind
Repeated = tuple[int, int | None, int, int]
Ignored = tuple[int, int, int, int, int]  # id, instant to show, instant, number, kind


class LogEntry(NamedTuple):
    """One change of one subscriber. `subscriber_id` is 0 for a reset, which invalidates earlier cursors;
    `new` is None for a creation.
    """

    kind: str
    subscriber_id: int
    new: Values | None
    old: Values


@dataclass
class Entries:
    """The entries of one row of the change log, which is one transaction. Only created, changed and erased
    subscribers and a reset have numbers.

    `created` has ids; `left` those of them who are unsubscribed; `back` those whose address was suppressed
    and who are subscribed. `lifted` has the suppressions removed from created subscribers: [id, reason,
    since, number, kind].

    `unchanged` has the mentioned subscribers without an entry, if an import created them: the undo of that
    import then keeps them. `unnamed` is true if the transaction only deleted, renamed or merged a tag and
    mentioned nobody.

    `tags` has the names of all tags in the row; `made_tags` (ids) and `made_fields` (keys) were added to the
    site. `accepted` is the number that orders the consent events in the row.

    `repeated` has the subscribed whom an import subscribed again: [id, instant, number, kind] of the event
    before. Rows of an older version have no kind. `ignored` has the unsubscribes of subscribed people that a
    later event outweighed.
    """

    created: list[int] = field(default_factory=list)
    changed: list[Changed] = field(default_factory=list)
    erased: list[int] = field(default_factory=list)
    reset: bool = False
    left: list[int] = field(default_factory=list)
    back: list[int] = field(default_factory=list)
    unchanged: list[int] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    made_tags: list[int] = field(default_factory=list)
    made_fields: list[str] = field(default_factory=list)
    lifted: list[Lifted] = field(default_factory=list)
    repeated: list[Repeated] = field(default_factory=list)
    ignored: list[Ignored] = field(default_factory=list)
    accepted: int = 0
    unnamed: bool = False

    def __len__(self) -> int:
        return len(self.created) + len(self.changed) + len(self.erased) + self.reset

    def pack(self) -> bytes:
        """The entries as bytes, for `unpack`."""
        parts = {name: part for name, part in vars(self).items() if part}
        try:
            text = orjson.dumps(parts)
        except TypeError:  # an older value: an integer beyond 64 bits
            text = compact_json(asdict(self)).encode()
        return zlib.compress(text, LEVEL)

    def in_order(self, start: int = 0, limit: int | None = None) -> list[LogEntry]:
        """The entries by number, at most `limit` from the index `start` on."""
        stop = len(self) if limit is None else start + limit
        unsubscribed, subscribed = set(self.left), set(self.back)
        entries = [
            LogEntry(
                UNSUBSCRIBED if id_ in unsubscribed else SUBSCRIBED if id_ in subscribed else CREATED,
                id_,
                None,
                {},
            )
            for id_ in self.created[start:stop]
        ]
        start, stop = (max(0, bound - len(self.created)) for bound in (start, stop))
        entries += [LogEntry(_kind(new, old), id_, new, old) for id_, new, old in self.changed[start:stop]]
        start, stop = (max(0, bound - len(self.changed)) for bound in (start, stop))
        entries += [LogEntry(ERASED, id_, {}, {}) for id_ in self.erased[start:stop]]
        if self.reset and start <= len(self.erased) < stop:
            entries.append(LogEntry(RESET, 0, {}, {}))
        return entries

    def without(self, subscriber_ids: Collection[int]) -> "Entries":
        """A copy with as many entries, in which those of these subscribers, who were erased, are empty."""
        erased = set(subscriber_ids)
        changed = [(id_, {}, {}) if id_ in erased else (id_, new, old) for id_, new, old in self.changed]
        lifted = [row for row in self.lifted if row[0] not in erased]
        repeated = [row for row in self.repeated if row[0] not in erased]
        ignored = [row for row in self.ignored if row[0] not in erased]
        parts = {"changed": changed, "lifted": lifted, "repeated": repeated, "ignored": ignored}
        return Entries(**(vars(self) | parts))

    def indexed_ids(self) -> list[int]:
        """The ids of the subscribers with values in this row, to be blanked when they are erased.

        Those with only a consent event that is repeated or ignored are left out.
        """
        return [row[0] for row in self.changed] + [row[0] for row in self.lifted]

    def mentioned_ids(self) -> list[int]:
        """The ids of the existing subscribers that the transaction mentioned."""
        return [] if self.unnamed else [*self.unchanged, *(row[0] for row in self.changed)]

    def consent_changed_ids(self) -> list[int]:
        """The ids of the existing subscribers whose consent, or date of unsubscribing, was changed, or whose
        unsubscribe was ignored.
        """
        changed = [id_ for id_, new, _ in self.changed if "unsubscribed_at" in new]
        return changed + [id_ for id_, *_ in self.ignored]

    def unnumbered_ids(self) -> list[int]:
        """The ids of the subscribers with a repeated or ignored consent event, which has no entry and no
        number.
        """
        return list({row[0] for rows in (self.repeated, self.ignored) for row in rows})

    def consents_before(self) -> list[tuple[int, ConsentBefore]]:
        """The (subscriber id, consent event before) of each subscribe in `repeated`."""
        return [(row[0], ConsentBefore(None, *consent_before(None, *row[1:]))) for row in self.repeated]


def consent_before(
    unsubscribed_at: int | None, at: int | None, number: int, kind: int | None = None
) -> tuple[int | None, int, int]:
    """The (instant, number, kind) of an earlier consent event. Rows of older versions have no kind.

    The kind then follows from `at`, the event's instant, and `unsubscribed_at`, the subscriber's instant of
    unsubscribing.
    """
    if kind is None:
        kind = ConsentKind.UNSUBSCRIBE if unsubscribed_at is not None else ConsentKind.SUBSCRIBE if at else 0
    return at, number, kind


NAMES = Entries.__dataclass_fields__.keys()


def unpack(packed: bytes) -> Entries:
    """The entries in a packed row, without parts that only older versions have."""
    parts = orjson.loads(zlib.decompress(packed))
    return Entries(**{name: parts[name] for name in parts.keys() & NAMES})


def _kind(new: Values, old: Values) -> str:
    if "unsubscribed_at" not in new:
        return UPDATED
    if new["unsubscribed_at"] is None:
        return SUBSCRIBED
    return UNSUBSCRIBED if old["unsubscribed_at"] is None else UPDATED


def merge(parts: Sequence[tuple[int, Entries]]) -> Entries:
    """Merges the parts of one transaction, as (at, entries), into one net entry for each subscriber."""
    whole, changed, unsubscribed = Entries(), dict[int, tuple[Values, Values]](), dict[int, bool]()
    for at, part in parts:
        whole.created += part.created
        whole.tags |= part.tags
        whole.unchanged += part.unchanged
        whole.made_tags += part.made_tags
        whole.made_fields += part.made_fields
        whole.lifted += part.lifted
        whole.repeated += part.repeated
        whole.ignored += part.ignored
        whole.accepted = part.accepted or whole.accepted
        unsubscribed |= {id_: id_ in part.left for id_ in part.created}
        for id_, new, old in part.changed:
            if id_ not in unsubscribed:
                changed[id_] = _merge_changes(*changed.get(id_, ({}, {})), new | {"updated_at": at}, old)
            elif "unsubscribed_at" in new:
                unsubscribed[id_] = new["unsubscribed_at"] is not None
    whole.left = [id_ for id_, is_unsubscribed in unsubscribed.items() if is_unsubscribed]
    whole.back = [id_ for id_, *_ in whole.lifted if not unsubscribed[id_]]
    whole.changed = [(id_, new, old) for id_, (new, old) in changed.items() if new]
    shown = {*unsubscribed, *(id_ for id_, *_ in whole.changed)}
    whole.unchanged = [id_ for id_ in dict.fromkeys([*whole.unchanged, *changed]) if id_ not in shown]
    return whole


def _merge_changes(new: Values, old: Values, next_new: Values, next_old: Values) -> tuple[Values, Values]:
    """The (new, old) values of two successive changes as one, without values that end as they began."""
    fields = {**new.get("fields", {}), **next_new.get("fields", {})}
    had = {**next_old.get("fields", {}), **old.get("fields", {})}
    added, removed = [
        [*new.get("tags", ([], []))[index], *next_new.get("tags", ([], []))[index]] for index in (0, 1)
    ]
    tags = [[tag for tag in added if tag not in removed], [tag for tag in removed if tag not in added]]
    changes = {key: value for key, value in fields.items() if not json_equal(value, had[key])}
    nets = {"fields": changes, "tags": tags if any(tags) else None}
    whole, was = {**new, **next_new}, {**next_old, **old, "fields": {key: had[key] for key in changes}}
    whole = {name: value for name, value in whole.items() if name in nets or value != was.get(name)} | nets
    return {name: value for name, value in whole.items() if value or name not in nets}, was
