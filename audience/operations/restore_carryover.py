"""Erasures, unsubscribes, ended keys and operators of the present instance, carried over to a restored
backup.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from audience import clock
from audience.access import site_keys, sites
from audience.access.sites import Site
from audience.changes import log as change_log
from audience.clock import DAY_MS
from audience.config import Settings
from audience.erasures import log as erasure_log
from audience.erasures.erasures import erase_again, existing_uuid_hashes, suppress_absent
from audience.errors import Refused
from audience.links import generations as link_generations
from audience.operations import consent_carryover
from audience.operations.consent_carryover import Unsubscribe
from audience.operations.instance_files import LostFile
from audience.operations.openers import Openers
from audience.privacy import pepper
from audience.sources import RESTORE
from audience.subscribers import subscribers
from audience.webhooks import outgoing
from storage import database
from storage.access import keys, operators, sessions, site_counters
from storage.access import sites as stored_sites
from storage.access.operators import ConsoleOperator
from storage.changes import log as stored_changes
from storage.erasures import log as stored_log
from storage.erasures.log import BEGINNING, ERASED, OF_LINKS, LogLine
from storage.errors import StatementError, Unavailable, Unusable
from storage.instance import backups as stored
from storage.instance import pepper as stored_pepper
from storage.links.generations import Generation

CLOCK_SKEW_MS = 600_000  # by how much the log of erasures and a backup may differ
NUMBERS_PER_MS = 1_000  # more than a site accepts

CANNOT_MATCH = (
    "The erasures in this folder cannot be matched with the subscribers of the backup: the pepper, the sites "
    "or their ids differ. Put the erasures.log of the backup's instance there. Or use --ignore-erasures: "
    "erased subscribers then return."
)
PENDING = (
    "Erasures and unsubscribes cannot be carried over from the present database ({}): run `audience "
    "migrate` first."
)
ANOTHERS = "The erasures in {} are another instance's: name a file that this instance exported."


@dataclass(frozen=True)
class CarriedOperator:
    """An operator of the present instance; `roles` are by site uuid."""

    operator: ConsoleOperator
    roles: dict[str, str]


@dataclass
class Carryover:
    """What a restored backup must get from the present instance: log lines, waiting unsubscribes, operators,
    ended keys as (publishable key, revoked at, expires at), and numbers.

    `of_links` are the log's lines about link keys, and `links` the generations of these keys by site uuid.
    `accepted` and `changes` have, by site uuid, the last number of an acceptance and of a logged change.

    `pepper_check` is the check value of the present pepper; None in a new folder with only a copied log.
    `logged_by` has the check values in the log's lines; None for those of an older Audience. Hashes without a
    check value are taken to be of the backup's pepper.

    `damaged` is true if the present database cannot be read, `is_new` if the folder had neither log, pepper
    nor database. The log has no unsubscribes of `uncovered_ms` after the backup. It ends with `cut_off` bytes
    of an unfinished line; `unreadable` has the numbers of unreadable lines.

    `since` is the instant of the backup, in milliseconds; 0 for a database that has every change from before
    its last acceptance.
    """

    lines: list[LogLine]
    of_links: list[LogLine]
    waiting: dict[str, list[Unsubscribe]] = field(default_factory=dict)
    site_ids: dict[str, int] = field(default_factory=dict)
    ended_keys: list[tuple[str, int | None, int | None]] = field(default_factory=list)
    operators: list[CarriedOperator] = field(default_factory=list)
    accepted: dict[str, int] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)
    links: dict[str, list[Generation]] = field(default_factory=dict)
    pepper_check: str | None = None
    logged_by: set[str | None] = field(default_factory=set)
    damaged: bool = False
    is_new: bool = False
    uncovered_ms: int = 0
    cut_off: int = 0
    since: int = 0
    unreadable: list[int] = field(default_factory=list)

    def note_number(self, site_uuid: str, number: int) -> None:
        """Notes an acceptance number of a site; the highest is kept."""
        self.accepted[site_uuid] = max(number, self.accepted.get(site_uuid, 0))

    @property
    def missing_days(self) -> int:
        return -(-self.uncovered_ms // DAY_MS)

    def is_log_of_another(self, pepper_check: str) -> bool:
        """Whether a line of the log was made with another pepper."""
        return bool(self.logged_by - {None, pepper_check})


class CarryoverCounts(NamedTuple):
    """How many subscribers were erased and unsubscribed again, keys ended, and webhooks paused."""

    erased: int
    unsubscribed: int
    ended_keys: int
    paused_webhooks: int


def read(settings: Settings, since: int, accepted: Mapping[str, int], openers: Openers) -> Carryover:
    """Reads the present instance, which may be empty or damaged, for a backup made at `since`.

    Lines without a number, from an older Audience, are left out if from before `since`. Waiting unsubscribes
    are read if accepted after the site's number in `accepted`, by uuid.

    If the log begins after the backup, or has unreadable lines, it is completed from the database. A database
    that cannot be read leaves the log as it is.
    """
    log, unreadable = settings.instance / erasure_log.LOG, list[int]()
    carryover = _from_log(erasure_log.read(log, unreadable=unreadable), since)
    carryover.is_new, carryover.unreadable = is_new(settings), unreadable
    carryover.uncovered_ms, carryover.cut_off = (
        erasure_log.uncovered_ms(log, since),
        erasure_log.unfinished_bytes(log),
    )
    secret = pepper.read(settings.pepper)
    carryover.pepper_check = None if secret is None else pepper.check_value(secret)
    if not all(file.exists() for file in database.files(settings.database)[:1]):
        return carryover
    openers.database(settings)
    try:
        with database.session():
            _read_database(carryover, accepted)
        if (carryover.uncovered_ms or unreadable) and carryover.site_ids:
            log.touch(mode=0o600)
            openers.process(settings)
            with database.write():
                erasure_log.complete(settings.instance)
            carryover.lines, carryover.uncovered_ms = _from_log(erasure_log.read(log), since).lines, 0
            unreadable.clear()
    except (StatementError, Unavailable, Unusable):
        carryover.damaged = True
    except LostFile:  # of the pepper: nobody can be told from the database
        pass
    finally:
        database.close()
    return carryover


def is_new(settings: Settings) -> bool:
    """Whether the folder has no log, pepper or database: nothing tells who unsubscribed since a backup."""
    own = settings.instance / erasure_log.LOG, settings.pepper, *database.files(settings.database)[:1]
    return not any(file.exists() for file in own)


def _from_log(changes: Iterable[LogLine], since: int) -> Carryover:
    """A carryover with a log's lines alone, except those without a number from before `since`."""
    lines = list(changes)
    recent = [
        line
        for line in lines
        if line.kind not in {BEGINNING, *OF_LINKS}
        and (line.number is not None or line.at >= since - CLOCK_SKEW_MS)
    ]
    of_links = [line for line in lines if line.kind in OF_LINKS]
    logged_by = {line.pepper_check for line in lines}
    carryover = Carryover(recent, of_links, logged_by=logged_by, since=since)
    for line in recent:
        carryover.note_number(line.site_uuid, line.number or 0)
    return carryover


def apply_log(instance: Path, file: Path) -> tuple[int, int, int]:
    """Repeats the erasures and unsubscribes of the log in `file`; adds what the instance's own log lacks.

    Pauses all webhooks, holds all sign-ups. Returns how many subscribers were erased and unsubscribed, and
    webhooks paused. Raises `Refused` if the file is another instance's.
    """
    carryover = _from_log(erasure_log.read(file), 0)
    if carryover.is_log_of_another(pepper.check_value()):
        raise Refused(ANOTHERS.format(file))
    new = add_to_log(instance, carryover)
    erased = unsubscribed = 0
    for site, lines in _match_sites(carryover, ignore_erasures=False):
        again = _repeat(site, carryover, lines, set(new))
        erased, unsubscribed = erased + again[0], unsubscribed + again[1]
        suppress_absent(site, {line.address_hash: line.at for line in lines if line.kind == ERASED})
    link_generations.repeat(carryover.of_links)
    _raise_numbers(carryover)
    return erased, unsubscribed, outgoing.pause_all()


def add_to_log(instance: Path, carryover: Carryover) -> list[LogLine]:
    """Adds the lines of the carryover that the instance's own log lacks. Returns them."""
    new = erasure_log.missing(instance, [*carryover.lines, *carryover.of_links])
    with database.write(database.SHARED):
        stored_log.add(new)
    return new


def _read_database(carryover: Carryover, accepted: Mapping[str, int]) -> None:
    """Adds what the open database has to the carryover. Raises `Refused` if migrations are pending."""
    if stored.is_empty():
        return
    if (state := database.migrations()).pending:
        raise Refused(PENDING.format(state.refusal or "migrations are pending"))
    carryover.pepper_check = stored_pepper.check_value() or carryover.pepper_check
    carryover.site_ids = {site.uuid: site.id for site in stored_sites.list_all()}
    for uuid, site_id in carryover.site_ids.items():
        carryover.note_number(uuid, site_counters.newest_accepted_number(site_id))
        carryover.changes[uuid] = stored_changes.numbers(site_id)[0]
    carryover.ended_keys = stored.ended_keys()
    carryover.operators = _read_operators()
    carryover.waiting = consent_carryover.waiting(accepted)
    carryover.links = link_generations.list_by_site()


def apply(carryover: Carryover, ignore_erasures: bool) -> CarryoverCounts:
    """Applies the carryover to the open instance, which is the restored backup.

    Raises `Refused` if a site's lines do not match the backup; with `ignore_erasures`, leaves them out.
    """
    lines = {site.id: lines for site, lines in _match_sites(carryover, ignore_erasures)}
    done = [_repeat(site, carryover, lines.get(site.id, [])) for site in sites.list_all()]
    link_generations.carry_over(carryover.links)
    link_generations.repeat(carryover.of_links)
    _raise_numbers(carryover)
    with database.write(database.SHARED):
        ended = [_end_key(*key) for key in carryover.ended_keys]
        _apply_operators(carryover.operators)
    erased, unsubscribed = (sum(counts[n] for counts in done) for n in range(2))
    return CarryoverCounts(erased, unsubscribed, sum(ended), outgoing.pause_all())


def _raise_numbers(carryover: Carryover) -> None:
    """Raises each site's numbers above those it may have given since, so that none is given twice."""
    for site in sites.list_all():
        with database.write(site.id):
            _raise_accepted(site, carryover)
            at_least = clock.now_ms() * NUMBERS_PER_MS
            change_log.record_reset(site.id, RESTORE, max(at_least, carryover.changes.get(site.uuid, 0) + 2))


def _raise_accepted(site: Site, carryover: Carryover) -> None:
    at_least = clock.now_ms() * NUMBERS_PER_MS
    site_counters.raise_to(site.id, max(at_least, carryover.accepted.get(site.uuid, 0)))


def _match_sites(carryover: Carryover, ignore_erasures: bool) -> Iterator[tuple[Site, list[LogLine]]]:
    """Yields the sites that both the log and the open instance have, each with its lines.

    Raises `Refused` if the log, or a site's hashes, are another instance's. With `ignore_erasures`, leaves
    such a site out.
    """
    by_site: dict[str, list[LogLine]] = defaultdict(list)
    for line in carryover.lines:
        by_site[line.site_uuid].append(line)
    logged_sites = [site for site in sites.list_all() if site.uuid in by_site]
    if not ignore_erasures and _is_of_another_instance(carryover, bool(logged_sites)):
        raise Refused(CANNOT_MATCH)
    for site in logged_sites:
        if _hashes_match(carryover, site, by_site[site.uuid]):
            yield site, by_site[site.uuid]
        elif not ignore_erasures:
            raise Refused(CANNOT_MATCH)


def _is_of_another_instance(carryover: Carryover, has_logged_site: bool) -> bool:
    """Whether the log is neither of the backup's instance nor of the one in the folder."""
    if carryover.pepper_check is None and carryover.lines and not has_logged_site:
        return carryover.logged_by != {pepper.check_value()}
    return bool(carryover.logged_by - {None, pepper.check_value(), carryover.pepper_check})


def _hashes_match(carryover: Carryover, site: Site, lines: list[LogLine]) -> bool:
    """Whether a site's lines have hashes of the backup's pepper.

    Hashes from before sites had keys must also be of the backup's id of the site.
    """
    made_by = {line.pepper_check or carryover.pepper_check for line in lines}
    is_first = not all(line.address_hash.startswith(site_keys.SECOND) for line in lines)
    has_id = carryover.site_ids.get(site.uuid, site.id) == site.id
    return made_by <= {None, pepper.check_value()} and (has_id or not is_first)


def _repeat(
    site: Site, carryover: Carryover, lines: list[LogLine], new: Collection[LogLine] = ()
) -> tuple[int, int]:
    """Repeats the log on a site, in one transaction; a second call does no harm.

    Returns how many were erased and unsubscribed. Waiting unsubscribes are repeated, too. Lines in `new`,
    which the instance's own log lacks, count as accepted after the backup.
    """
    with database.write(site.id):
        accepted = site_counters.newest_accepted_number(site.id)
        erased = _lacking_erasures(site, [line for line in lines if line.kind == ERASED], accepted)
        _raise_accepted(site, carryover)
        again = subscribers.accept_now(site.id, RESTORE)
        since = {line.address_hash: min(line.at, again.at) for line in erased}
        count = erase_again(site, since, {line.person_hash for line in erased}) if erased else 0
        waiting = consent_carryover.log_lines(site.id, carryover.waiting.get(site.uuid, ()))
        old = {line for line in lines if line.number and line.number <= accepted} - set(new)
        last = consent_carryover.last_by_hash([*lines, *waiting], old)
        in_backup = {line for line in old if not carryover.since or (line.logged_at or 0) < carryover.since}
        owners = consent_carryover.former_owners(lines)
        return (count, consent_carryover.repeat(site.id, last, owners, old, in_backup, again))


def _lacking_erasures(site: Site, lines: list[LogLine], accepted: int) -> list[LogLine]:
    """The erasures that the open instance lacks: accepted after a number, or of an existing subscriber."""
    old = {hash_: line.number for line in lines if (line.number or 0) <= accepted for hash_ in line.hashes}
    again = {None, *(old[hash_] for hash_ in existing_uuid_hashes(site, old))}
    return [line for line in lines if line.number in again or (line.number or 0) > accepted]


def _end_key(publishable_key: str, revoked_at: int | None, expires_at: int | None) -> bool:
    """Revokes a key, or sets its expiry, as in the present instance. Returns whether it was revoked now."""
    if expires_at is not None:
        keys.expire(publishable_key, expires_at)
    return revoked_at is not None and keys.revoke(publishable_key, revoked_at)


def _read_operators() -> list[CarriedOperator]:
    """The operators of the open database."""
    uuids = {site.id: site.uuid for site in stored_sites.list_all()}
    return [
        CarriedOperator(
            operator, {uuids[site_id]: role for site_id, role in operators.roles_of(operator.id).items()}
        )
        for operator in operators.list_all()
    ]


def _apply_operators(carried: list[CarriedOperator]) -> None:
    """Replaces the restored backup's operators by those carried over, if any. Ends all sessions and links."""
    sessions.delete_all()
    if not carried:
        return
    for restored in operators.list_all():
        operators.delete(id=restored.id)
    site_ids = {site.uuid: site.id for site in stored_sites.list_all()}
    for operator in carried:
        operator_id = operators.add_new(operator.operator)
        for uuid in operator.roles.keys() & site_ids.keys():
            operators.set_role(operator_id, site_ids[uuid], operator.roles[uuid])
