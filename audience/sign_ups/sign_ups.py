"""Sign-ups: accepting requests to be subscribed, and counts of them.

Nothing here reads the list of subscribers, so that no answer tells who is on it.
"""

import uuid
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from audience import addresses, clock, telemetry
from audience.access import audit_log, site_keys
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.addresses import MalformedAddress
from audience.changes import log as change_log
from audience.clock import DAY_MS, HOUR_MS
from audience.errors import NotFound, Refused, TooMany
from audience.forms.forms import SignUpForm
from audience.sign_ups import mailboxes
from schemas.codes import Code, Sentence
from schemas.values import compact_json
from storage import database
from storage import jobs as stored_jobs
from storage.access import site_counters
from storage.sign_ups import backlog, counts, proofs
from storage.sign_ups import sign_ups as stored
from storage.sign_ups.sign_ups import CONFIRMED, HELD, RELEASED, SENT, TEST, WAITING, SignUp

__all__ = ["SignUp"]

PAGE_ROWS = 100
FIGURE_DAYS = 28
COUNTED_MS = 2 * FIGURE_DAYS * DAY_MS  # of the figures, and of those before
ASKED, PROXIED = "asked", "proxied"
ALL = NO_FORM = 0  # in place of the id of a form
OVER = Sentence(
    Code.SIGN_UP_OVER, "This sign-up is over: only a waiting, sent, held or failed sign-up can be sent again."
)
TOO_SOON = Sentence(
    Code.SIGN_UP_TOO_SOON,
    "A confirmation for this address was requested a moment ago: wait the seconds in Retry-After.",
)
NO_SIGN_UP = Sentence(
    Code.SIGN_UP_NOT_FOUND, "Sign-up not found: GET /v1/fetch/sign_ups lists the sign-ups of the site."
)
OPEN_MS, HELD_MS = 7 * DAY_MS, 14 * DAY_MS  # after which a sign-up expires
KEPT_MS = 30 * DAY_MS  # after which nothing is left of a sign-up that is over


class SignUpRequest(NamedTuple):
    """What a sign-up asks for. `email` is in normal form. `fields` are as typed, by key.

    `origin` is that of the visitor's page, if it is one of the form's. `network` is the visitor's shortened
    IP address, `version` that of the wording they saw. With `is_held`, the sign-up is held for `reason`. With
    `is_proxied`, it came through a proxy that is not in the settings.
    """

    email: str
    fields: Mapping[str, str] = {}
    language: str = "en"
    origin: str = ""
    network: str = ""
    country: str = ""
    agent: str = ""
    asked_by: str = "form"
    version: int = 1
    is_held: bool = False
    reason: str = ""
    base_url: str = ""
    is_proxied: bool = False


@database.writes_site
def accept(site: Site, form: SignUpForm, asked: SignUpRequest) -> SignUp | None:
    """Stores a sign-up and queues its confirmation, unless it is held.

    Returns None, with no sign-up stored, if the mailbox may get no mail now. Test forms have no such limit.
    """
    now = clock.now_ms()
    if asked.is_proxied:
        counts.add(site.id, form.id, PROXIED, now)
    if not form.is_test and mailboxes.next_possible(site, asked.email) > now:
        count_capped(site, form)
        return None
    return add(site, form, asked)


def add(site: Site, form: SignUpForm | None, asked: SignUpRequest) -> SignUp:
    """Stores a sign-up, with or without a form, as `accept` does, in the caller's transaction."""
    sign_up = _draft(site, form, asked, clock.now_ms())
    sign_up = sign_up._replace(id=stored.add(sign_up, site_id=site.id))
    count_outcome(site.id, sign_up, ASKED)
    if sign_up.status == WAITING:
        queue(site.id, sign_up.id)
    else:
        count_outcome(site.id, sign_up, HELD)
    return sign_up


@database.writes_site
def count_capped(site: Site, form: SignUpForm) -> None:
    """Counts a sign-up, unless of a test form, that was dropped because its mailbox may get no mail now."""
    if not form.is_test:
        _count(site.id, form.id, "capped")


def count_outcome(site_id: int, sign_up: SignUp, outcome: str) -> None:
    """Counts the outcome of a sign-up, in the caller's transaction, unless it is a test."""
    if not sign_up.is_test:
        _count(site_id, sign_up.form_id, outcome)


def _count(site_id: int, form_id: int, outcome: str) -> None:
    counts.add(site_id, form_id, outcome, clock.now_ms())
    telemetry.record_sign_up(outcome)


@database.session()
def list_page(
    site: Site, status: str = "", after: int = 0, limit: int = PAGE_ROWS, address: str = ""
) -> list[SignUp]:
    """At most `limit` sign-ups after the id `after`, oldest first. "" means any status or address."""
    address_hash = site_keys.sent_address_hash(site.id, address) if address else ""
    return stored.page(site.id, status, address_hash, after, limit)


@database.session()
def get(site: Site, sign_up_id: int) -> SignUp:
    """Gets a sign-up. Raises `NotFound`."""
    return _require(site.id, sign_up_id)


@database.session()
def newest(site: Site, address: str) -> SignUp | None:
    """The newest sign-up of an address; None without one."""
    return stored.newest(site.id, site_keys.sent_address_hash(site.id, address))


def end(site_id: int, sign_up: SignUp, status: str) -> None:
    """Ends a sign-up: counts it, sets `status` and removes personal data, in the caller's transaction."""
    count_outcome(site_id, sign_up, status)
    stored.end(site_id, sign_up.id, status, clock.now_ms() + KEPT_MS)


def send_again(site: Site, sign_up_id: int, actor: Actor) -> SignUp:
    """Queues the confirmation of an open sign-up again, even a held one. Returns the sign-up.

    Raises `NotFound`, `Refused` if the sign-up is over, and `TooMany` if its mailbox may get no mail now.
    """
    with database.write(site.id):
        sign_up = _require(site.id, sign_up_id)
        if not sign_up.is_open:
            raise Refused(OVER)
        if not sign_up.is_test and (wait := seconds_to_wait(site, sign_up.email)):
            raise TooMany(TOO_SOON, wait)
        release(site, sign_up)
        audit_log.record(actor, "sign-up sent again", site, f"sign-up {sign_up_id}")
        return _require(site.id, sign_up_id)


def release(site: Site, sign_up: SignUp) -> None:
    """Queues a confirmation as if the sign-up were new, in the caller's transaction. The sign-up is not held
    again.

    The email of a sign-up that was tried before it was held is not counted again.
    """
    now = clock.now_ms()
    tries = min(sign_up.tries, 1) if sign_up.status == HELD else 0
    waiting = {"status": WAITING, "reason": RELEASED, "tries": tries, "next_try_at": now}
    stored.change(waiting | {"expires_at": now + OPEN_MS}, site_id=site.id, id=sign_up.id)
    stored_jobs.remove(site.id, stored.HAND_OVER, sign_up.id)
    queue(site.id, sign_up.id)


@database.writes_site
def delete(site: Site, sign_up_id: int, actor: Actor) -> SignUp:
    """Deletes a sign-up, whose link then does nothing. Returns it. Raises `NotFound`."""
    sign_up = _require(site.id, sign_up_id)
    stored.delete(site_id=site.id, id=sign_up_id)
    audit_log.record(actor, "sign-up deleted", site, f"sign-up {sign_up_id}")
    return sign_up


def seconds_to_wait(site: Site, email: str) -> int:
    """How many seconds until an address, in any spelling, may get a mail; 0 if it may now."""
    with suppress(MalformedAddress):
        email = addresses.identity(email)
    return max(0, -((clock.now_ms() - mailboxes.next_possible(site, email)) // 1000))


def _require(site_id: int, sign_up_id: int) -> SignUp:
    sign_up = stored.get(site_id=site_id, id=sign_up_id)
    if sign_up is None:
        raise NotFound(NO_SIGN_UP)
    return sign_up


def queue(site_id: int, sign_up_id: int) -> None:
    """Queues the confirmation of a waiting sign-up, in the caller's transaction."""
    stored_jobs.add(site_id, stored.JOB, sign_up_id)
    change_log.note_site(site_id)


def _draft(site: Site, form: SignUpForm | None, asked: SignUpRequest, now: int) -> SignUp:
    return SignUp(
        id=0,
        form_id=form.id if form else NO_FORM,
        nonce=str(uuid.uuid4()),
        number=site_counters.take_acceptance_number(site.id, now).number,
        status=HELD if asked.is_held else WAITING,
        reason=asked.reason,
        address_hash=site_keys.address_hash(site.id, asked.email),
        email=asked.email,
        fields=compact_json(asked.fields),
        tags=compact_json(form.tags if form else ()),
        version=asked.version,
        language=asked.language,
        origin=asked.origin,
        network=asked.network,
        country=asked.country,
        agent=asked.agent,
        asked_by=TEST if form and form.is_test else asked.asked_by,
        base_url=asked.base_url,
        requested_at=now,
        expires_at=now + (HELD_MS if asked.is_held else OPEN_MS),
    )


@database.session()
def is_any_proxied(only_site: int | None = None) -> bool:
    """Whether any site, or one, has recent sign-ups through a proxy that is not in the settings."""
    since = clock.now_ms() - HOUR_MS
    if only_site is None:
        return bool(counts.site_ids_with(PROXIED, since))
    return counts.has(only_site, PROXIED, since)


@database.session()
def is_proxied(site: Site) -> bool:
    """Whether a site has recent sign-ups through a proxy that is not in the settings."""
    return counts.has(site.id, PROXIED, clock.now_ms() - HOUR_MS)


@database.session()
def oldest_waiting_seconds(only_site: int | None = None) -> float:
    """How many seconds the oldest unsent confirmation of all sites, or of one, has waited; 0 without one."""
    since = backlog.oldest_waiting(only_site)
    return 0.0 if since is None else max(0, clock.now_ms() - since) / 1000


def sweep_counts(only_site: int | None) -> None:
    """Deletes the hourly counts that are too old for any figure."""
    before = clock.now_ms() - COUNTED_MS
    with database.session():
        site_ids = counts.site_ids_before(before) if only_site is None else [only_site]
    for site_id in site_ids:
        with database.write(site_id):
            counts.delete_before(site_id, before)


class Numbers(NamedTuple):
    asked: int
    sent: int
    confirmed: int


class Figures(NamedTuple):
    """The numbers of the last `FIGURE_DAYS`, those of as many days before, and the sign-ups of each day."""

    now: Numbers
    before: Numbers
    by_day: tuple[int, ...]


@database.session()
def figures_by_form(site: Site) -> dict[int, Figures]:
    """The figures of each form with sign-ups, by form id, and those of all forms together under `ALL`."""
    start = clock.now_ms() - FIGURE_DAYS * DAY_MS
    outcomes: Counter[tuple[int, bool, str]] = Counter()
    days: Counter[tuple[int, int]] = Counter()
    rows = counts.since(site.id, start - FIGURE_DAYS * DAY_MS)
    for form_id, at, outcome, number in (row for row in rows if row[0] != NO_FORM):
        for key in (form_id, ALL):
            outcomes[key, at < start, outcome] += number
            if outcome == ASKED:
                days[key, (at - start) // DAY_MS] += number
    return {key: _figures(key, outcomes, days) for key in {ALL, *(key for key, _, _ in outcomes)}}


@database.session()
def outcomes(site: Site, since: int) -> Counter[str]:
    """The number of sign-ups by outcome, from the hour of the instant `since` (milliseconds) on."""
    numbers: Counter[str] = Counter()
    for _, _, outcome, number in counts.since(site.id, since):
        numbers[outcome] += number
    return numbers


@database.session()
def count_open_by_status(site: Site, before: int) -> Counter[str]:
    """The number of sign-ups by status that were requested before an instant and are open now."""
    return Counter(stored.count_open_by_status(site.id, before))


@database.session()
def agreed(site: Site, form_id: int) -> dict[tuple[int, str], int]:
    """How many of today's subscribers agreed to a form, by version and language of its wording."""
    return proofs.agreed(site.id, form_id)


def _figures(key: int, outcomes: Counter[tuple[int, bool, str]], days: Counter[tuple[int, int]]) -> Figures:
    now, before = (
        Numbers(*(outcomes[key, is_before, outcome] for outcome in (ASKED, SENT, CONFIRMED)))
        for is_before in (False, True)
    )
    return Figures(now, before, tuple(days[key, day] for day in range(FIGURE_DAYS)))
