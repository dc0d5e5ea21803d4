"""Erasures, words of leaving and ended keys of the present instance, carried over to a restored backup."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from audience import clock, pepper
from audience.access import site_keys, sites
from audience.access.sites import Site
from audience.changes import log as change_log
from audience.changes.changes import RESTORE
from audience.config import Settings
from audience.erasures import log as erasure_log
from audience.erasures.erasures import erase_again, still_there, suppress_absent
from audience.erasures.log import LoggedErasure
from audience.errors import Refused
from audience.links import generations as link_generations
from audience.operations import consent_carryover, operator_carryover
from audience.operations.openers import Openers
from audience.operations.operator_carryover import CarriedOperator
from audience.webhooks import webhooks
from storage import database
from storage.access import keys, site_counters
from storage.access import sites as stored_sites
from storage.changes import log as stored_changes
from storage.changes.consents import ConsentKind
from storage.erasures import suppressions
from storage.erasures.suppressions import Suppression
from storage.errors import StatementError, Unavailable, Unusable
from storage.instance import backups as stored
from storage.instance import pepper as stored_pepper
from storage.links.generations import Generation
from storage.subscribers.subscribers import Left

CLOCK_SKEW_MS = 600_000  # by how much the log of erasures and a backup may differ
NUMBERS_PER_MS = 1_000  # more than a site accepts

CANNOT_MATCH = (
    "The erasures in this folder cannot be matched with the subscribers of the backup: the pepper, the sites "
    "or their ids differ. Put the right erasures.log there, the one of the backup's instance, or use "
    "--ignore-erasures, with which erased subscribers return."
)
PENDING = (
    "Who was erased or unsubscribed cannot be carried over from the present database ({}): run `audience "
    "migrate` first."
)
ANOTHERS = "The erasures in {} are another instance's: name the file that this one's export wrote."


@dataclass(frozen=True)
class Erasure:
    """An address, by its keyed hash, that must stay suppressed; `since` in milliseconds.

    `pepper_check` is of the pepper that made the hash, None if that is unknown. `number` is its place in the
    order of acceptance; None: to be suppressed whatever the backup says. If it is `kept`, the address is
    suppressed in the present instance, perhaps under an older number that an undo has put back.
    """

    site_uuid: str
    address_hash: str
    since: int
    pepper_check: str | None
    reason: str = suppressions.ERASED
    number: int | None = None
    kept: bool = False
    kind: int = ConsentKind.UNSUBSCRIBE


@dataclass
class Carryover:
    """State of the present instance; `damaged` if its database cannot be read.

    `pepper_check` is None in a new folder with only a copied log of erasures, and in `logged_by`, those of
    the log's lines, for lines of an older Audience: such hashes are taken to be of the backup's pepper.
    """

    erasures: list[Erasure] = field(default_factory=list)
    ended_keys: list[tuple[str, int | None, int | None]] = field(default_factory=list)
    operators: list[CarriedOperator] = field(default_factory=list)
    left: dict[str, list[Left]] = field(default_factory=dict)
    site_ids: dict[str, int] = field(default_factory=dict)
    accepted: dict[str, int] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)
    links: dict[str, list[Generation]] = field(default_factory=dict)
    pepper_check: str | None = None
    logged_by: set[str | None] = field(default_factory=set)
    damaged: bool = False

    def note_number(self, site_uuid: str, number: int) -> None:
        """Notes a number of acceptance that a site has given."""
        self.accepted[site_uuid] = max(number, self.accepted.get(site_uuid, 0))

    def is_log_of_another(self, pepper_check: str) -> bool:
        """Whether a line of the log was not made with that pepper."""
        return bool(self.logged_by - {None, pepper_check})


class Applied(NamedTuple):
    """How many subscribers were erased and unsubscribed again, keys ended, and webhooks paused."""

    erased: int
    left: int
    ended_keys: int
    paused_webhooks: int


def read(settings: Settings, since: int, accepted: Mapping[str, int], openers: Openers) -> Carryover:
    """Reads an instance, perhaps empty or damaged.

    Of the lines of its log without a number, which an older Audience wrote, those from `since` on; who left
    after the numbers `accepted`, by the site's uuid.
    """
    carryover = _of_log(erasure_log.read(settings.instance / erasure_log.LOG), since)
    secret = pepper.read(settings.pepper)
    carryover.pepper_check = None if secret is None else pepper.check_value(secret)
    if not all(file.exists() for file in database.files(settings.database)[:1]):
        return carryover
    openers.database(settings)
    try:
        with database.session():
            _read_database(carryover, accepted)
    except (StatementError, Unavailable, Unusable):
        carryover.damaged = True
    finally:
        database.close()
    return carryover


def _of_log(lines: Iterable[LoggedErasure], since: int) -> Carryover:
    logged = [
        Erasure(line.site_uuid, line.address_hash, line.at, line.pepper_check, number=line.number)
        for line in lines
    ]
    recent = [
        erasure for erasure in logged if erasure.number is not None or erasure.since >= since - CLOCK_SKEW_MS
    ]
    carryover = Carryover(recent, logged_by={erasure.pepper_check for erasure in logged})
    for erasure in logged:
        carryover.note_number(erasure.site_uuid, erasure.number or 0)
    return carryover


def apply_log(instance: Path, file: Path) -> tuple[int, int]:
    """Repeats the erasures of a log that the open database does not know, and logs what its own log lacks.
    Pauses all webhooks.

    Returns how many people it erased, and webhooks it paused. Raises `Refused` if the file is of another
    instance.
    """
    lines = list(erasure_log.read(file))
    carryover = _of_log(lines, 0)
    if carryover.is_log_of_another(pepper.check_value()):
        raise Refused(ANOTHERS.format(file))
    erased = 0
    for site, erasures in _matched(carryover, ignore_erasures=False):
        erased += _suppress(site, erasures)[0]
        suppress_absent(site, erasure_log.addresses(lines, site.uuid))
    _raise_numbers(carryover)
    with database.write(database.SHARED):
        erasure_log.append(instance, erasure_log.missing(instance, lines))
    return erased, webhooks.pause_all()


def _read_database(carryover: Carryover, accepted: Mapping[str, int]) -> None:
    if stored.is_empty():
        return
    if (state := database.migrations()).pending:
        raise Refused(PENDING.format(state.refusal or "migrations are pending"))
    carryover.pepper_check = stored_pepper.check_value() or carryover.pepper_check
    carryover.site_ids = {site.uuid: site.id for site in stored_sites.list_all()}
    for uuid, site_id in carryover.site_ids.items():
        carryover.note_number(uuid, site_counters.accepted(site_id))
        carryover.changes[uuid] = stored_changes.numbers(site_id)[0]
    carryover.ended_keys = stored.ended_keys()
    carryover.operators = operator_carryover.read()
    carryover.left = consent_carryover.read(accepted)
    carryover.links = link_generations.carried()
    carryover.erasures += [
        Erasure(
            row.site_uuid,
            row.address_hash,
            row.since,
            carryover.pepper_check,
            row.reason,
            row.number,
            kept=True,
            kind=row.kind,
        )
        for row in suppressions.list_all()
    ]


def apply(carryover: Carryover, ignore_erasures: bool) -> Applied:
    """Applies it to the open instance.

    Raises `Refused` if erasures cannot be matched, unless they are to be ignored.
    """
    done = [_suppress(site, erasures) for site, erasures in _matched(carryover, ignore_erasures)]
    left = consent_carryover.apply(carryover.left)
    link_generations.carry_over(carryover.links)
    _raise_numbers(carryover)
    with database.write(database.SHARED):
        ended = [_end(*key) for key in carryover.ended_keys]
        operator_carryover.apply(carryover.operators)
    erased, left = sum(pair[0] for pair in done), left + sum(pair[1] for pair in done)
    return Applied(erased, left, sum(ended), webhooks.pause_all())


def _raise_numbers(carryover: Carryover) -> None:
    """Lets no site give a number again that it gave after the backup."""
    at_least = clock.now_ms() * NUMBERS_PER_MS
    for site in sites.list_all():
        with database.write(site.id):
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
    """Whether hashes of a present site are those that the backup's pepper and, of the first scheme, site id
    make."""
    made_by = {erasure.pepper_check or carryover.pepper_check for erasure in erasures}
    is_first = not all(erasure.address_hash.startswith(site_keys.SECOND) for erasure in erasures)
    has_id = carryover.site_ids.get(site.uuid, site.id) == site.id
    return made_by <= {None, pepper.check_value()} and (has_id or not is_first)


def _suppress(site: Site, erasures: list[Erasure]) -> tuple[int, int]:
    """In one transaction: whoever it suppresses is erased or has left, as it counts, even if run again."""
    erased, left = dict[str, int](), dict[str, Suppression]()
    with database.write(site.id):
        unknown, (number, now) = _unknown(site, erasures), site_counters.take(site.id, clock.now_ms())
        for row in unknown:
            kept = Suppression(row.reason, min(row.since, now), number, row.kind)
            suppressions.add(site.id, {row.address_hash: kept})
            if row.reason == suppressions.ERASED:
                erased[row.address_hash] = row.since
            else:
                left[row.address_hash] = kept._replace(since=row.since)
        return erase_again(site, erased) if erased else 0, consent_carryover.leave_again(site.id, left)


def _unknown(site: Site, erasures: list[Erasure]) -> list[Erasure]:
    """Those that the open instance has not: accepted since, put back since, or of somebody who is there."""
    there = {row.address_hash for row in suppressions.list_all() if row.site_id == site.id}
    accepted = site_counters.accepted(site.id)
    old = {row.address_hash: row.number for row in erasures if not row.kept and (row.number or 0) <= accepted}
    again = {None, *(old[id_] for id_ in still_there(site, old))}
    newer = [row for row in erasures if row.number in again or (row.number or 0) > accepted]
    return newer + [row for row in erasures if row.kept and row.address_hash not in there]


def _end(publishable_key: str, revoked_at: int | None, expires_at: int | None) -> bool:
    if expires_at is not None:
        keys.expire(publishable_key, expires_at)
    return revoked_at is not None and keys.revoke(publishable_key, revoked_at)
