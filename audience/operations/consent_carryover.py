"""Carries unsubscribes over to a restored backup, so that whoever unsubscribed since stays unsubscribed."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise

from audience import clock
from audience.access import site_keys
from audience.changes import consents
from audience.changes import log as change_log
from audience.changes.changes import Acceptance, Change, Consent, Outcome
from audience.changes.consents import ConsentEvent
from audience.imports import payloads as import_payloads
from audience.subscribers import subscribers
from storage.access import sites as stored_sites
from storage.bulk import actions as stored_bulk_actions
from storage.changes.consents import ConsentKind
from storage.erasures import suppressions
from storage.erasures.log import ERASED, SUBSCRIBED, UNSUBSCRIBED, UNSUBSCRIBED_BY_DATE, LogLine
from storage.erasures.suppressions import Suppression
from storage.imports import imports as stored_imports
from storage.subscribers import subscribers as stored_subscribers

CHUNK_ROWS = 500
UNSUBSCRIBED_KINDS = frozenset({UNSUBSCRIBED, UNSUBSCRIBED_BY_DATE})
Unsubscribe = tuple[str, int, ConsentEvent]  # key of the address, instant to be shown, event


def waiting(accepted: Mapping[str, int]) -> dict[str, list[Unsubscribe]]:
    """The unsubscribes in waiting imports and bulk actions, by site uuid, in the caller's session.

    `accepted` has an acceptance number by site uuid; earlier unsubscribes are left out.
    """
    return {
        site.uuid: list(_unsubscribes(site.id, accepted.get(site.uuid, 0)))
        for site in stored_sites.list_all()
    }


def _unsubscribes(site_id: int, after: int) -> Iterator[Unsubscribe]:
    """Yields a site's waiting unsubscribes that were accepted after the number `after`."""
    for _, payload, number, at in stored_imports.accepted_batches(site_id):
        if number > after:
            accepted = Acceptance(number, at)
            changes = [change for change in import_payloads.read(payload) if change]
            yield from _effective(
                site_id,
                [
                    (change.key, shown_at, event)
                    for change in changes
                    for event, shown_at, _ in consents.events(change, accepted)
                    if event.unsubscribes
                ],
            )
    for ids, number, at in stored_bulk_actions.waiting_unsubscribes(site_id, after):
        event = ConsentEvent(at, number, ConsentKind.UNSUBSCRIBE)
        keys = [key for _, key in stored_bulk_actions.keys(site_id, ids).values()]
        yield from _effective(site_id, [(key, at, event) for key in keys])


def _effective(site_id: int, events: Sequence[Unsubscribe]) -> Iterator[Unsubscribe]:
    """Yields the unsubscribes that override the subscriber's consent, or whose address has no subscriber."""
    existing, now = stored_subscribers.get_by_keys(site_id, {key for key, *_ in events}), clock.now_ms()
    for key, shown_at, event in events:
        subscriber = existing.get(key)
        if subscriber is None or event.counts_over(consents.current_event(subscriber), now):
            yield key, shown_at, event


def log_lines(site_id: int, unsubscribes: Sequence[Unsubscribe]) -> list[LogLine]:
    """The unsubscribes as lines of the log of erasures, without acceptance numbers."""
    return [
        LogLine(
            "",
            site_keys.address_hash(site_id, key),
            event.instant,
            kind=consents.LOGGED_AS.get(event.kind, UNSUBSCRIBED),
            shown_at=shown_at,
        )
        for key, shown_at, event in unsubscribes
    ]


def last_by_hash(changes: Sequence[LogLine], old: Set[LogLine]) -> dict[str, LogLine]:
    """The last log line by hash of an address or uuid, without hashes whose last line is an erasure.

    `changes` are the lines of the log, then the waiting unsubscribes, which have no acceptance number. `old`
    are lines accepted before the backup.

    Of two unsubscribes in a row, the second is skipped if it has no number and an earlier date. If it is
    `old` and follows one that is not, it is kept with the number of the first.
    """
    last: dict[str, LogLine] = {}
    for change in changes:
        for hash_ in change.hashes:
            before = last.get(hash_)
            if before and {before.kind, change.kind} <= UNSUBSCRIBED_KINDS:
                if change.number is None and before.at > change.at:
                    continue
                if change in old and before not in old:
                    last[hash_] = change._replace(number=before.number)
                    continue
            last[hash_] = change
    return {hash_: change for hash_, change in last.items() if change.kind != ERASED}


def former_owners(changes: Sequence[LogLine]) -> dict[LogLine, str | None]:
    """The uuid hash of the subscriber who had the address, by log line of a former address.

    The next line of the log has that hash: it is the subscriber's own, and has the same number.
    """
    return {
        change: own.person_hash
        for change, own in pairwise(changes)
        if change.person_hash is None and change.number == own.number
    }


def repeat(
    site_id: int,
    last: Mapping[str, LogLine],
    former_owners: Mapping[LogLine, str | None],
    old: Set[LogLine],
    in_backup: Set[LogLine],
    now: Acceptance,
) -> int:
    """Repeats the lines in `last`, by hash of address or uuid, on a site. Returns how many subscribers it
    unsubscribed.

    An unsubscribed address without a subscriber is suppressed.

    Whoever resubscribed, says the log, is not changed; if unsubscribed in the backup, that is logged. The
    line of a former address (`former_owners`) is skipped if `last` has a line of the subscriber's uuid.

    An `old` line, from before the backup, counts with its own number: the backup may have the same
    unsubscribe, waiting or failed, which a later event overrides. Other lines count with the acceptance
    `now`. A line `in_backup` is skipped if the subscriber or address is unsubscribed already.
    """
    last_id, count, existing = 0, 0, set[str]()
    while last and (rows := stored_subscribers.keys_after(site_id, last_id, CHUNK_ROWS)):
        last_id = rows[-1][0]
        lines = list[tuple[str, bool, LogLine]]()
        for _, key, uuid, is_unsubscribed in rows:
            uuid_hash = site_keys.address_hash(site_id, uuid)
            hashes = last.keys() & {*site_keys.address_hashes(site_id, key), uuid_hash}
            existing |= hashes
            for line in (last[hash_] for hash_ in hashes):
                if uuid_hash not in last or former_owners.get(line) != uuid_hash:
                    lines.append((key, is_unsubscribed, line))
        count += _repeat_lines(site_id, lines, old, in_backup, now)
    uuid_hashes = {change.person_hash for change in last.values()}
    absent = [hash_ for hash_ in last.keys() - existing - uuid_hashes if last[hash_].kind != SUBSCRIBED]
    for start in range(0, len(absent), CHUNK_ROWS):
        chunk = absent[start : start + CHUNK_ROWS]
        _suppress(site_id, {hash_: last[hash_] for hash_ in chunk}, old, in_backup, now)
    return count


def _repeat_lines(
    site_id: int,
    lines: Sequence[tuple[str, bool, LogLine]],
    old: Set[LogLine],
    in_backup: Set[LogLine],
    now: Acceptance,
) -> int:
    """Repeats lines of subscribers, given as (address key, whether unsubscribed, line), as `repeat` does."""
    changes = defaultdict[Acceptance, list[Change]](list)
    for key, is_unsubscribed, line in lines:
        if line.kind != SUBSCRIBED and not (is_unsubscribed and line in in_backup):
            accepted = _acceptance(line, old, now)
            changes[accepted].append(_unsubscribe_again(key, line, accepted))
    count = sum(
        subscribers.write(site_id, again, accepted).outcomes.count(Outcome.UPDATED)
        for accepted, again in changes.items()
    )
    resubscribed = [key for key, _, line in lines if line.kind == SUBSCRIBED]
    subscribers_now = stored_subscribers.get_by_keys(site_id, resubscribed).values()
    unsubscribed = [row for row in subscribers_now if row.unsubscribed_at is not None]
    change_log.log_consent(site_id, unsubscribed, now.number)
    return count


def _acceptance(line: LogLine, old: Set[LogLine], now: Acceptance) -> Acceptance:
    """The acceptance of a line: its own if the line is among `old`, else `now`."""
    return Acceptance(line.number or 0, line.at, now.source) if line in old else now


def _suppress(
    site_id: int, by_hash: Mapping[str, LogLine], old: Set[LogLine], in_backup: Set[LogLine], now: Acceptance
) -> None:
    """Suppresses addresses without a subscriber, by hash. Of line and suppression, the later is kept."""
    present = suppressions.find_by_hash(site_id, by_hash)
    suppressed = {}
    for address_hash, change in by_hash.items():
        if address_hash in present and change in in_backup:
            continue
        is_dated = change.kind == UNSUBSCRIBED_BY_DATE
        kind = ConsentKind.DATED_UNSUBSCRIBE if is_dated else ConsentKind.UNSUBSCRIBE
        before = present.get(address_hash, Suppression(suppressions.UNSUBSCRIBED, 0, 0))
        number = _acceptance(change, old, now).number
        events = [
            ConsentEvent(min(change.at, now.at), number, kind),
            ConsentEvent(before.since, number, ConsentKind(before.kind)),
        ]
        suppressed[address_hash] = Suppression(before.reason, *max(events, key=lambda event: event.order))
    change_log.suppress(site_id, suppressed, now.number)


def _unsubscribe_again(key: str, line: LogLine, accepted: Acceptance) -> Change:
    """The change that repeats an unsubscribe of the log.

    If that was dated, the change is dated `accepted.at`, to win over a `subscribe` of that instant.
    """
    dated_at = accepted.at if line.kind == UNSUBSCRIBED_BY_DATE else None
    shown_at = line.at if line.shown_at is None else line.shown_at
    return Change(key, key, consent=Consent.UNSUBSCRIBE, at=shown_at, consent_at=dated_at, creates=False)
