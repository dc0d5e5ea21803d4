"""What an import may change of existing subscribers: everything, what is blank, or nothing.

In each case the file still unsubscribes them. Whether a subscriber exists is decided when the row is applied.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from audience.changes.changes import Change, Consent
from schemas.values import OnExisting


def limit(
    changes: Sequence[Change], existing: Collection[str], is_suppressed: Callable[[str], bool]
) -> Sequence[Change]:
    """The changes, reduced to what their `known` (an `OnExisting`) allows for existing subscribers.

    Such a change subscribes nobody, neither an existing subscriber nor a suppressed address. A subscriber
    also exists if an earlier change mentions it.
    """
    if not any(change.known for change in changes):
        return changes
    return list(_limited_changes(changes, set(existing), is_suppressed))


def _limited_changes(
    changes: Sequence[Change], existing: set[str], is_suppressed: Callable[[str], bool]
) -> Iterator[Change]:
    for change in changes:
        exists = change.key in existing
        if change.known and (exists or is_suppressed(change.key)):
            yield _limit(change, exists)
        else:
            yield change
        existing.add(change.key)


def _limit(change: Change, exists: bool) -> Change:
    consent = "" if change.consent == Consent.SUBSCRIBE else change.consent
    if not exists:
        return change._replace(consent=consent)
    if change.known == OnExisting.SKIP:
        return Change(change.key, change.email, consent=consent, dates=change.dates, at=change.at)
    return change._replace(consent=consent, remove_tags=())


def only_blanks(change: Change, values: Mapping[str, Any], had: Iterable[str]) -> Change:
    """The change, reduced to what the subscriber lacks: a missing key, null or an empty text.

    `had` are the names of the subscriber's texts, `values` its custom values.
    """
    had_texts: dict[str, Any] = dict.fromkeys(had, "")
    return change._replace(
        **had_texts,
        fields={key: value for key, value in change.fields.items() if values.get(key) in (None, "")},
    )
