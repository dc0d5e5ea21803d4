"""Commands on people, run in order in one transaction (contract section 2, Commands)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from audience import addresses, clock, events, subscribers
from audience.errors import FieldError
from audience.sites import Site
from audience.subscribers import Change, Consent, Outcome, Person
from storage import database
from storage import subscribers as stored

Command = Mapping[str, Any]

CHANGE_EMAIL = "change_email"
TAG_EVENT = "add_tag_via_event"

# What each command makes of its query; `change_email` alone moves a person and has no row.
CHANGES: dict[str, Callable[[Any, int], dict[str, Any]]] = {
    "add_tag": lambda tag, _: {"tags": (tag,)},
    TAG_EVENT: lambda tag, at: {"tags": (tag,), "event_at": at},
    "remove_tag": lambda tag, _: {"remove_tags": (tag,), "creates": False},
    "add_field": lambda values, _: values,
    "remove_field": lambda key, _: {"remove_fields": (key,), "creates": False},
    "subscribe": lambda *_: {"consent": Consent.SUBSCRIBE},
    "unsubscribe": lambda *_: {"consent": Consent.UNSUBSCRIBE},
}
MESSAGES = {Outcome.SUPPRESSED: subscribers.SUPPRESSED, Outcome.MISSING: subscribers.MISSING}


@dataclass(frozen=True)
class Report:
    """What became of a run: `person` is the target of the last command that succeeded."""

    person: Person | None
    done: int
    errors: list[FieldError]


def run(site: Site, commands: Sequence[Command]) -> Report:
    """Runs commands in order; one that cannot be done writes nothing and does not stop the others."""
    errors: dict[int, str] = {}
    person = None
    with database.write():
        for moved, group in groupby(enumerate(commands), _own_group):
            targets, refused = _targets(site.id, list(group))
            key, failed = (_write if moved is None else _move)(site.id, targets)
            errors |= refused | failed
            person = stored.by_key(site.id, key) if key else person
        person = person and stored.by_uuid(site.id, person.uuid)
    return Report(
        person,
        len(commands) - len(errors),
        [FieldError(f"command[{index}]", errors[index]) for index in sorted(errors)],
    )


def _own_group(numbered: tuple[int, Command]) -> int | None:
    """Moves run one by one: the commands after them name people by where they moved to."""
    index, command = numbered
    return index if command["command"] == CHANGE_EMAIL else None


Target = tuple[int, str, str, Command]  # index in the request, email, key, command


def _targets(site_id: int, group: list[tuple[int, Command]]) -> tuple[list[Target], dict[int, str]]:
    targets, refused = [], {}
    for index, command in group:
        email = command.get("email", "")
        if "uuid" in command:
            person = stored.by_uuid(site_id, command["uuid"])
            if person is None:
                refused[index] = subscribers.MISSING
                continue
            email = person.email_key
        try:
            targets.append((index, email.strip(), addresses.identity(email), command))
        except addresses.MalformedAddress as error:
            refused[index] = str(error)
    return targets, refused


def _write(site_id: int, targets: list[Target]) -> tuple[str | None, dict[int, str]]:
    """The key of the last person written, and why the other commands were not done."""
    at = clock.now()
    changes = [
        Change(email=email, key=key, at=at, **CHANGES[command["command"]](command.get("query"), at))
        for _, email, key, command in targets
    ]
    outcomes = subscribers.write(site_id, changes)
    failed = {
        index: MESSAGES[outcome]
        for (index, *_), outcome in zip(targets, outcomes, strict=True)
        if outcome in MESSAGES
    }
    done = [
        (change, command)
        for (index, _, _, command), change in zip(targets, changes, strict=True)
        if index not in failed
    ]
    tagged = [
        (each, "$tag", {"details": {"tag": command["query"]}})
        for each, command in done
        if command["command"] == TAG_EVENT
    ]
    events.add(site_id, tagged, at)
    return done[-1][0].key if done else None, failed


def _move(site_id: int, targets: list[Target]) -> tuple[str | None, dict[int, str]]:
    moved, failed = None, {}
    for index, _, key, command in targets:
        message = subscribers.change_email(site_id, key, command["query"])
        if message is None:
            moved = addresses.identity(command["query"])
        else:
            failed[index] = message
    return moved, failed
