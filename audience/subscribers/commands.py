"""Commands on subscribers, run in order in one transaction."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from audience import addresses, clock
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.changes import log as change_log
from audience.changes.changes import Acceptance, Change, Consent, Outcome
from audience.changes.targets import TWO, conflicting_indexes
from audience.errors import Refused
from audience.sources import OPERATOR, Source
from audience.subscribers import events, subscribers
from audience.subscribers.subscribers import Subscriber
from schemas.command_names import CommandName
from schemas.values import NAMES, FieldError, trim
from storage import database
from storage.subscribers import subscribers as stored

Command = Mapping[str, Any]

# The change that each command makes of its query; `change_email` is not a change, and has no row.
CHANGES: dict[str, Callable[[Any, int], dict[str, Any]]] = {
    CommandName.ADD_TAG: lambda tag, _: {"tags": (tag,)},
    CommandName.ADD_TAG_VIA_EVENT: lambda tag, at: {"tags": (tag,), "event_at": at},
    CommandName.REMOVE_TAG: lambda tag, _: {"remove_tags": (tag,), "creates": False},
    CommandName.ADD_FIELD: lambda values, _: values,
    CommandName.REMOVE_FIELD: lambda key, _: {"remove_fields": (key,), "creates": False},
    CommandName.SUBSCRIBE: lambda *_: {"consent": Consent.SUBSCRIBE},
    CommandName.UNSUBSCRIBE: lambda *_: {"consent": Consent.UNSUBSCRIBE},
}
MAX_TYPED = 500  # characters
EMPTY = "Fill this in."
TOO_LONG = f"Use at most {MAX_TYPED} characters."
MESSAGES = {Outcome.SUPPRESSED: subscribers.SUPPRESSED, Outcome.MISSING: subscribers.MISSING}


@dataclass(frozen=True)
class CommandsResult:
    """The result of commands. `subscriber` is the target of the last command that succeeded, or None.

    `done` is how many commands succeeded. `unsubscribes_ignored` and `subscribes_ignored` of them had no
    effect, because a later consent event outweighed them.
    """

    subscriber: Subscriber | None
    done: int
    errors: list[FieldError]
    unsubscribes_ignored: int = 0
    subscribes_ignored: int = 0


@dataclass
class IgnoredCounts:
    """The numbers of consent events that a later one outweighed."""

    unsubscribes: int = 0
    subscribes: int = 0


def run(site: Site, commands: Sequence[Command], source: Source = OPERATOR) -> CommandsResult:
    """Runs commands in order. A failed command writes nothing and stops no other. Errors are returned."""
    errors: dict[int, str] = {}
    subscriber, ignored = None, IgnoredCounts()
    with database.write(site.id), change_log.one_transaction(site.id, source):
        accepted = subscribers.accept_now(site.id, source)
        for (moves, _), group in groupby(enumerate(commands), _own_group):
            targets, refused = _targets(site.id, list(group))
            key, failed = (
                _change_email(site.id, targets, accepted)
                if moves
                else _write(site.id, targets, accepted, ignored)
            )
            errors |= refused | failed
            subscriber = stored.get_by_key(site.id, key) if key else subscriber
        subscriber = subscriber and stored.get_by_uuid(site.id, subscriber.uuid)
    return CommandsResult(
        subscriber,
        len(commands) - len(errors),
        [FieldError(f"command[{index}]", errors[index]) for index in sorted(errors)],
        ignored.unsubscribes,
        ignored.subscribes,
    )


@database.writes_site
def run_by_hand(
    site: Site,
    command: Command,
    actor: Actor,
    action: str,
    typed: Mapping[str, str],
    source: Source = OPERATOR,
) -> bool:
    """Runs an operator's command, which names its subscriber. Returns whether it changed the subscriber.

    If it did, the audit log records `actor`, `action` and `typed`. Raises `Refused` if the command fails.
    """
    before = _state(_target(site, command))
    result = run(site, [command], source)
    if result.errors:
        raise Refused(result.errors[0].message)
    subscriber = result.subscriber
    if subscriber is None or _state(subscriber) == before:
        return False
    audit_log.record(actor, action, site, subscriber.uuid, typed=typed)
    return True


def typed_problem(text: str) -> str:
    """Why a text that an operator typed for the audit log is refused; "" if it is not."""
    return EMPTY if not text else TOO_LONG if len(text) > MAX_TYPED else ""


def _target(site: Site, command: Command) -> Subscriber | None:
    return subscribers.find(site, command.get("email"), command.get("uuid"))


def _state(subscriber: Subscriber | None) -> tuple[Any, ...] | None:
    """The values of a subscriber that a command may change; None without a subscriber."""
    if subscriber is None:
        return None
    names = (getattr(subscriber, name) for name in NAMES)
    return subscriber.email, *names, subscriber.fields, subscriber.tag_ids, subscriber.unsubscribed_at


def _own_group(numbered: tuple[int, Command]) -> tuple[bool, int | None]:
    """The group of an (index, command): neighbours with equal groups run together.

    The group is (whether the command is `change_email`, its index if it runs alone). A command with an
    address and a uuid runs alone because earlier commands may change who has the address.
    """
    index, command = numbered
    moves = command["command"] == CommandName.CHANGE_EMAIL
    return moves, index if moves or command.keys() >= {"email", "uuid"} else None


Target = tuple[int, str, str, Command]  # index in the request, email, key, command


def _targets(site_id: int, group: list[tuple[int, Command]]) -> tuple[list[Target], dict[int, str]]:
    targets, refused = [], {}
    for index, command in group:
        try:
            email = _email(site_id, command)
            targets.append((index, trim(email), addresses.identity(email), command))
        except Refused as error:
            refused[index] = error.message
        except addresses.MalformedAddress as error:
            refused[index] = str(error)
    return targets, refused


def _email(site_id: int, command: Command) -> str:
    """The address of the subscriber that a command names by address or uuid. Raises `Refused`."""
    if "refused" in command:
        raise Refused(command["refused"])
    email: str = command.get("email", "")
    if "uuid" not in command:
        return email
    subscriber = stored.get_by_uuid(site_id, command["uuid"])
    if subscriber is None:
        raise Refused(subscribers.MISSING_UUID)
    with suppress(addresses.MalformedAddress):
        if conflicting_indexes(site_id, [(0, command["uuid"], addresses.identity(email))]):
            raise Refused(TWO)
    return subscriber.email_key


def _write(
    site_id: int, targets: list[Target], accepted: Acceptance, ignored: IgnoredCounts
) -> tuple[str | None, dict[int, str]]:
    """Runs commands other than `change_email`. Adds to `ignored`.

    Returns the key of the last written subscriber, None if all failed, and the error messages by index.
    """
    at = clock.now_ms()
    changes = [
        Change(email=email, key=key, **CHANGES[command["command"]](command.get("query"), at))
        for _, email, key, command in targets
    ]
    result = subscribers.write(site_id, changes, accepted)
    outcomes, ids = result.outcomes, result.ids
    ignored.unsubscribes += result.unsubscribes_ignored
    ignored.subscribes += result.subscribes_ignored
    failed: dict[int, str] = {
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
        (change, "$tag", {"details": {"tag": command["query"]}})
        for change, command in done
        if command["command"] == CommandName.ADD_TAG_VIA_EVENT
    ]
    events.add(site_id, ids, tagged, at)
    return done[-1][0].key if done else None, failed


def _change_email(
    site_id: int, targets: list[Target], accepted: Acceptance
) -> tuple[str | None, dict[int, str]]:
    """Changes addresses, one after another.

    Returns the key of the last new address, None if all failed, and the error messages by index.
    """
    key_after, failed = None, {}
    for index, _, key, command in targets:
        message = subscribers.change_email(site_id, key, command["query"], accepted)
        if message is None:
            key_after = addresses.identity(command["query"])
        else:
            failed[index] = message
    return key_after, failed
