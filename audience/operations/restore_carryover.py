"""Erasures and ended keys of the present instance, carried over to a restored backup."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from audience import change_log, clock, pepper, sites
from audience.changes import RESTORE
from audience.config import Settings
from audience.erasures import LOG, erase_again
from audience.errors import Refused
from audience.operations import operator_carryover
from audience.operations.openers import Openers
from audience.operations.operator_carryover import CarriedOperator
from audience.sites import Site
from storage import backups as stored
from storage import change_log as stored_changes
from storage import database, keys, site_counters, suppressions
from storage import pepper as stored_pepper
from storage import sites as stored_sites
from storage.errors import StatementError, Unavailable, Unusable
from storage.suppressions import Suppression

CLOCK_SKEW_MS = 600_000  # by how much the log of erasures and a backup may differ
NUMBERS_PER_MS = 1_000  # more than a site accepts

CANNOT_MATCH = (
    "The erasures in this folder cannot be matched with the subscribers of the backup: the pepper, the sites "
    "or their ids differ. Put the right erasures.log there, the one of the backup's instance, or use "
    "--ignore-erasures, with which erased subscribers return."
)


@dataclass(frozen=True)
class Erasure:
    """An address, by its keyed hash, that must stay suppressed; `since` in milliseconds.

    `pepper_check` is of the pepper that made the hash, None if that is unknown. `number` is its place in the
    order of acceptance; None: to be suppressed whatever the backup says.
    """

    site_uuid: str
    address_hash: str
    since: int
    pepper_check: str | None
    reason: str = suppressions.ERASED
    number: int | None = None


@dataclass
class Carryover:
    """State of the present instance; `damaged` if its database cannot be read.

    `pepper_check` is None in a new folder with only a copied log of erasures, and in `logged_by`, those of
    the log's lines, for lines of an older Audience: such hashes are taken to be of the backup's pepper.
    """

    erasures: list[Erasure] = field(default_factory=list)
    ended_keys: list[tuple[str, int | None, int | None]] = field(default_factory=list)
    operators: list[CarriedOperator] = field(default_factory=list)
    site_ids: dict[str, int] = field(default_factory=dict)
    accepted: dict[str, int] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)
    pepper_check: str | None = None
    logged_by: set[str | None] = field(default_factory=set)
    damaged: bool = False

    def note_number(self, site_uuid: str, number: int) -> None:
        """Notes a number of acceptance that a site has given."""
        self.accepted[site_uuid] = max(number, self.accepted.get(site_uuid, 0))

    def is_log_of_another(self, pepper_check: str) -> bool:
        """Whether a line of the log was not made with that pepper."""
        return bool(self.logged_by - {None, pepper_check})


def read(settings: Settings, since: int, openers: Openers) -> Carryover:
    """Reads an instance, perhaps empty or damaged.

    Of the lines of its log without a number, which an older Audience wrote, those from `since` on.
    """
    carryover = _of_log(settings.instance / LOG, since)
    secret = pepper.read(settings.pepper)
    carryover.pepper_check = None if secret is None else pepper.check_value(secret)
    if not all(file.exists() for file in database.files(settings.database)[:1]):
        return carryover
    openers.database(settings)
    try:
        with database.session():
            _read_database(carryover)
    except (StatementError, Unavailable, Unusable):
        carryover.damaged = True
    finally:
        database.close()
    return carryover


def _of_log(log: Path, since: int) -> Carryover:
    logged = list(_logged(log))
    recent = [
        erasure for erasure in logged if erasure.number is not None or erasure.since >= since - CLOCK_SKEW_MS
    ]
    carryover = Carryover(recent, logged_by={erasure.pepper_check for erasure in logged})
    for erasure in logged:
        carryover.note_number(erasure.site_uuid, erasure.number or 0)
    return carryover


def apply_log(instance: Path) -> int:
    """Repeats the erasures of the log that the open database does not know; how many people it erased.

    Raises `Refused` if the log is another instance's.
    """
    carryover = _of_log(instance / LOG, 0)
    erased = sum(_erase(site, erasures) for site, erasures in _matched(carryover, ignore_erasures=False))
    with database.write():
        _raise_numbers(carryover)
    return erased


def _read_database(carryover: Carryover) -> None:
    if stored.is_empty():
        return
    carryover.pepper_check = stored_pepper.check_value() or carryover.pepper_check
    carryover.site_ids = {site.uuid: site.id for site in stored_sites.list_all()}
    if stored.has_site_counters():
        for uuid, site_id in carryover.site_ids.items():
            carryover.note_number(uuid, site_counters.accepted(site_id))
    if stored.has_change_log():
        carryover.changes = {
            uuid: stored_changes.numbers(site_id)[0] for uuid, site_id in carryover.site_ids.items()
        }
    carryover.ended_keys = stored.ended_keys()
    carryover.operators = operator_carryover.read()
    carryover.erasures += [
        Erasure(row.site_uuid, row.address_hash, row.since, carryover.pepper_check, row.reason, row.number)
        for row in suppressions.list_all()
    ]


def _logged(log: Path) -> Iterator[Erasure]:
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            yield Erasure(
                entry["site_uuid"],
                entry["address_hash"],
                int(entry["at"]),
                entry.get("pepper_check"),
                number=entry.get("number"),
            )
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines):  # truncated: that erasure was not finished
                return
            raise Refused(f"{log} cannot be read at line {number}: repair it first.") from error


def apply(carryover: Carryover, ignore_erasures: bool) -> tuple[int, int]:
    """Applies it to the open instance; (erased subscribers, ended keys).

    Raises `Refused` if erasures cannot be matched, unless they are to be ignored.
    """
    erased = sum(_erase(site, erasures) for site, erasures in _matched(carryover, ignore_erasures))
    with database.write():
        _raise_numbers(carryover)
        ended = [_end(*key) for key in carryover.ended_keys]
        operator_carryover.apply(carryover.operators)
    return erased, sum(ended)


def _raise_numbers(carryover: Carryover) -> None:
    """Lets no site give a number again that it gave after the backup."""
    at_least = clock.now_ms() * NUMBERS_PER_MS
    for site in sites.list_all():
        site_counters.raise_to(site.id, max(at_least, carryover.accepted.get(site.uuid, 0)))
        change_log.record_reset(site.id, RESTORE, max(at_least, carryover.changes.get(site.uuid, 0) + 2))


def _matched(carryover: Carryover, ignore_erasures: bool) -> Iterator[tuple[Site, list[Erasure]]]:
    by_site: dict[str, list[Erasure]] = defaultdict(list)
    for erasure in carryover.erasures:
        by_site[erasure.site_uuid].append(erasure)
    known = [site for site in sites.list_all() if site.uuid in by_site]
    if not ignore_erasures and _is_strange(carryover, bool(known)):
        raise Refused(CANNOT_MATCH)
    for site in known:
        if _fits(carryover, site, by_site[site.uuid]):
            yield site, by_site[site.uuid]
        elif not ignore_erasures:
            raise Refused(CANNOT_MATCH)


def _is_strange(carryover: Carryover, knows_a_site: bool) -> bool:
    """Whether the log is neither of the backup's instance nor of the one in the folder."""
    if carryover.pepper_check is None and carryover.erasures and not knows_a_site:
        return carryover.logged_by != {pepper.check_value()}
    return bool(carryover.logged_by - {None, pepper.check_value(), carryover.pepper_check})


def _fits(carryover: Carryover, site: Site, erasures: list[Erasure]) -> bool:
    """Whether hashes of a present site are those that the backup's pepper and site id make."""
    made_by = {erasure.pepper_check or carryover.pepper_check for erasure in erasures}
    return made_by <= {None, pepper.check_value()} and carryover.site_ids.get(site.uuid, site.id) == site.id


def _erase(site: Site, erasures: list[Erasure]) -> int:
    with database.session():
        known = site_counters.accepted(site.id)
    erasures = [row for row in erasures if row.number is None or row.number > known]
    since = {row.address_hash: row.since for row in erasures if row.reason == suppressions.ERASED}
    with database.write():
        number = site_counters.take(site.id)
        for row in erasures:
            suppressions.add(site.id, row.address_hash, Suppression(row.reason, row.since, number))
    return erase_again(site, since) if since else 0


def _end(publishable_key: str, revoked_at: int | None, expires_at: int | None) -> bool:
    if expires_at is not None:
        keys.expire(publishable_key, expires_at)
    return revoked_at is not None and keys.revoke(publishable_key, revoked_at)
