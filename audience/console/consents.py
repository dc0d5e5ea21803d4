"""The timeline of a subscriber: changes of consent, and changes by hand, each with when and by whom."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audience.access import audit_log, keys
from audience.access.audit_log import AuditEntry
from audience.access.sites import Site
from audience.bulk import actions as bulk_actions
from audience.changes import pages as change_log_pages
from audience.console.wording import counted
from audience.imports import file_uploads
from audience.imports.file_uploads import ImportedFile
from audience.searches import lists as subscriber_lists
from audience.searches.lists import ConsentChange
from audience.subscribers.subscribers import ADDED, Subscriber
from audience.undo import undos

REASONS = {
    "date": "with its own date",
    "left before": "who had unsubscribed before under this address",
    "not_interested": "no longer interested", "too_many": "too many emails", "elsewhere": "follows elsewhere",
    "not_expected": "not what they expected", "never_signed_up": "never signed up",
    "other": "for another reason",
}  # fmt: skip
BY = {
    "event": "with an event", "operator": "by hand", "bulk_act": "by hand", "cli": "on the command line",
    "link": "by a link in an email", "migration": "at an upgrade", "restore": "at a restore",
    "sign_up": "by confirming a sign-up",
}  # fmt: skip
WORDS_OF = {"unconfirmed": "Not yet subscribed"}  # else "Unsubscribed"
KEYED = ("api", "command")
WORDS = {
    "first_name": "first name", "last_name": "last name", "email": "address", "tags_added": "tags",
    "tags_removed": "tags",
}  # fmt: skip
TAGS = {"tags_added": "added", "tags_removed": "removed"}
ENTRIES_OF_THEIR_OWN = ("fields", "updated_at", "unsubscribed_at", "last_event_at")
BY_HAND = ("subscribed", "unsubscribed")  # texts of the audit log that are changes of consent, too
SAME_MS = 5_000  # apart at most, the entry of the audit log and the change that it is about


@dataclass(frozen=True)
class Entry:
    """An entry of a subscriber's timeline. `kind` is k (creation or subscribe), l (unsubscribe) or "".

    `at` is in milliseconds, `code` an event's type, `who` an operator.
    """

    at: int
    kind: str
    words: str
    code: str = ""
    details: str = ""
    who: str = ""


def history(site: Site, subscriber: Subscriber) -> list[Entry]:
    """The timeline of a subscriber, oldest entry first."""
    created_by, changes = subscriber_lists.consents(site, subscriber)
    log = audit_log.of_subject(site, subscriber.uuid)
    entries = [
        *_facts(site, subscriber, created_by, changes, log),
        *_changes(site, changes, log),
        *_actions(log),
        *_log_entries(site, subscriber),
    ]
    return sorted(entries, key=lambda entry: entry.at)


def events(site: Site, subscriber: Subscriber) -> list[Entry]:
    """The creation of a subscriber and each change of consent, oldest first."""
    return [entry for entry in history(site, subscriber) if entry.kind]


def _facts(
    site: Site,
    subscriber: Subscriber,
    created_by: str,
    changes: Sequence[ConsentChange],
    log: Sequence[AuditEntry],
) -> Iterator[Entry]:
    """Yields the creation and, if no consent change records it, the last unsubscribe."""
    kind, _, number = created_by.partition(" ")
    added = next((entry for entry in log if audit_log.head(entry) == ADDED), None)
    answer = added.act.partition(audit_log.NAMED)[2] if added else ""
    details = ", ".join(filter(None, (_source(site, kind, number), answer)))
    yield Entry(subscriber.created_at, "k", "Created", details=details, who=_operator(added) if added else "")
    if subscriber.unsubscribed_at is not None and (not changes or changes[-1].subscribed):
        yield Entry(subscriber.unsubscribed_at, "l", "Unsubscribed")


def _changes(site: Site, changes: Sequence[ConsentChange], log: Sequence[AuditEntry]) -> Iterator[Entry]:
    """Yields an entry for each consent change."""
    for change in changes:
        kind, words = (
            ("k", "Subscribed") if change.subscribed else ("l", WORDS_OF.get(change.reason, "Unsubscribed"))
        )
        source = _source(site, change.source, str(change.source_id))
        who, typed = _by_hand(site, change, log)
        details = ", ".join(filter(None, (source, REASONS.get(change.reason, ""), typed)))
        yield Entry(change.at, kind, words, details=details, who=who)


def _by_hand(site: Site, change: ConsentChange, log: Sequence[AuditEntry]) -> tuple[str, str]:
    """The (operator who changed the consent by hand, typed reason); both "" if nobody did."""
    if change.source == "bulk_act":
        return bulk_actions.get(site, change.source_id).actor, ""
    action = BY_HAND[0] if change.subscribed else BY_HAND[1]
    near = (
        (_operator(entry), _typed_in(entry))
        for entry in log
        if (entry.act == action or audit_log.head(entry) == ADDED) and abs(entry.at - change.at) <= SAME_MS
    )
    return next(near, ("", ""))


def _operator(entry: AuditEntry) -> str:
    """The operator who did something; "" at the command line."""
    return "" if entry.actor == audit_log.COMMAND_LINE.name else entry.actor


def _typed_in(entry: AuditEntry) -> str:
    """The values that the operator typed, as text."""
    return ", ".join(map(str, json.loads(entry.typed).values()))


def _actions(log: Sequence[AuditEntry]) -> Iterator[Entry]:
    """Yields entries for what operators did, from the audit log, except changes of consent."""
    for entry in log:
        action, _, name = entry.act.partition(audit_log.NAMED)
        if action not in (*BY_HAND, ADDED):
            yield Entry(entry.at, "", action.capitalize(), details=name or _typed_in(entry), who=entry.actor)


def _log_entries(site: Site, subscriber: Subscriber) -> Iterator[Entry]:
    """Yields entries for changes that no operator made, from the change log.

    Changes of consent and events are left out: they have entries already.
    """
    key_names = {key.publishable_key: key.name for key in keys.list_all(site)}
    for change in change_log_pages.history(site, subscriber.uuid).changes:
        words, names = _describe_change(change.changed)
        kind, id_ = change.source
        if names and kind != "operator":
            by = _by_key(key_names.get(id_ or "")) if kind in KEYED else _source(site, kind, id_ or "")
            who = bulk_actions.get(site, int(id_ or 0)).actor if kind == "bulk_act" else ""
            yield Entry(change.at, "", words, details=", ".join(filter(None, [*names, by])), who=who)


def _describe_change(changed: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The (words for a change, names in it).

    If tags were only added or only removed, the names are those tags; else all that changed.
    """
    names = [name for name in changed if name not in ENTRIES_OF_THEIR_OWN]
    fields = list(changed.get("fields", ()))
    if len(names) == 1 and names[0] in TAGS and not fields:
        tags = changed[names[0]]
        return f"{'Tag' if len(tags) == 1 else 'Tags'} {TAGS[names[0]]}", tags
    return "Changed", [*dict.fromkeys(WORDS.get(name, name) for name in names), *fields]


def _source(site: Site, kind: str, number: str) -> str:
    """The source of a change in words, or "" for an unknown `kind`. `number` has the digits of its id."""
    if kind == "import":
        file = file_uploads.files(site, [int(number)]).get(int(number))
        return f"by import {number}" + (_file_answers(file) if file else "")
    if kind == "bulk_act":
        action = bulk_actions.get(site, int(number))
        return f"by bulk action {action.id} on {counted(action.people, 'subscriber')}"
    if kind == "undo" and (undo := undos.get_by_id(site, int(number))):
        return f"by the undo of {'import' if undo.source == undos.IMPORT else 'bulk action'} {undo.source_id}"
    if kind in KEYED:
        return _by_key({str(key.id): key.name for key in keys.list_all(site)}.get(number))
    return BY.get(kind, "")


def _file_answers(file: ImportedFile) -> str:
    """The imported file's name and, if consent was asked, who answered and how."""
    name = f", {file.name}" if file.name else ""
    return f"{name}, answered by {file.actor}: {file.consent}" if file.consent else name


def _by_key(name: str | None) -> str:
    return f"by the key {name}" if name else "by the API"
