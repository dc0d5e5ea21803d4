"""Limits how often a mailbox, whatever the spelling of its address, is sent mails that anybody can ask for.

For each mailbox, a keyed hash and the instants of its mails are kept, for 31 days. The row names no site.
"""

from collections.abc import Sequence

from audience import clock
from audience.access.sites import Site
from audience.clock import DAY_MS, HOUR_MS, MINUTE_MS
from audience.privacy import pepper
from storage import database
from storage.sign_ups import mailboxes as stored

GMAIL = ("gmail.com", "googlemail.com")
Limits = Sequence[tuple[int, int]]  # so many in so many milliseconds
OF_SITE: Limits = ((1, 10 * MINUTE_MS), (3, DAY_MS))
OF_INSTANCE: Limits = ((6, DAY_MS),)
OF_DOMAIN: Limits = ((20, HOUR_MS),)
MONTH_MS, MOST_IN_MONTH, WEEK_MS = 30 * DAY_MS, 6, 7 * DAY_MS
OF_LINKS: Limits = ((1, DAY_MS), (6, MONTH_MS))
KEPT_MS = 31 * DAY_MS


def mailbox_of(email: str) -> str:
    """The mailbox of an address in normal form: without `+…` and, for Gmail, without dots."""
    local, _, domain = email.rpartition("@")
    local = (local.partition("+")[0] or local).casefold()
    if domain in GMAIL:
        local, domain = local.replace(".", "") or local, GMAIL[0]
    return f"{local}@{domain}"


@database.session()
def next_possible(site: Site, email: str) -> int:
    """When the next mail may be sent to an address, in milliseconds; 0 or past if that is now."""
    own, of_all = _hashes(site, email)
    return _next_possible(stored.times(own), stored.times(of_all), clock.now_ms())


def reserve(site: Site, email: str) -> bool:
    """Counts a mail, in the caller's transaction. Returns False, uncounted, if none may be sent."""
    now, (own, of_all) = clock.now_ms(), _hashes(site, email)
    times, all_times = stored.locked_times(own, now), stored.locked_times(of_all, now)
    if _next_possible(times, all_times, now) > now:
        return False
    stored.put(own, _with(times, now))
    stored.put(of_all, _with(all_times, now))
    return True


def reserve_links(site: Site, email: str) -> bool:
    """Counts a mail with links, in the caller's transaction. Returns False, uncounted, if none may be sent.

    The mail counts towards the limits of such mails and of all sites, but not towards that of confirmations.
    """
    now, of_all = clock.now_ms(), _hashes(site, email)[1]
    all_times = stored.locked_times(of_all, now)
    if _after(all_times, OF_INSTANCE, now) > now:
        return False
    if not reserve_one(f"links {site.uuid} {mailbox_of(email)}", OF_LINKS):
        return False
    stored.put(of_all, _with(all_times, now))
    return True


def reserve_one(subject: str, limits: Limits) -> bool:
    """Counts a mail for a `subject` such as a domain, in the caller's transaction.

    Returns False, uncounted, if the limits allow none.
    """
    now, subject_hash = clock.now_ms(), _hash(subject)
    times = stored.locked_times(subject_hash, now)
    if _after(times, limits, now) > now:
        return False
    stored.put(subject_hash, [*times, now][-max(most for most, _ in limits) :])
    return True


def note_declined(site: Site, email: str) -> None:
    """Notes that a mailbox declined, in the caller's transaction: the site mails it nothing for 30 days."""
    declined = _declined_hash(site, email)
    stored.locked_times(declined, clock.now_ms())
    stored.put(declined, [clock.now_ms()])


def has_declined(site: Site, email: str) -> bool:
    """Whether a mailbox declined in the last 30 days, in the caller's session."""
    return any(at > clock.now_ms() - MONTH_MS for at in stored.times(_declined_hash(site, email)))


@database.write(database.SHARED)
def sweep() -> None:
    """Deletes the mailboxes that got no mail for 31 days."""
    stored.delete_old(clock.now_ms() - KEPT_MS)


def _next_possible(times: Sequence[int], all_times: Sequence[int], now: int) -> int:
    in_month = [at for at in times if at > now - MONTH_MS]
    after_month = in_month[-1] + WEEK_MS if len(in_month) >= MOST_IN_MONTH else 0
    return max(_after(times, OF_SITE, now), after_month, _after(all_times, OF_INSTANCE, now))


def _after(times: Sequence[int], limits: Limits, now: int) -> int:
    """When the limits allow one more mail, in milliseconds; 0 if they do now.

    `times` are the instants of earlier mails, oldest first.
    """
    ends = [0]
    for most, span in limits:
        recent = [at for at in times if at > now - span]
        if len(recent) >= most:
            ends.append(recent[-most] + span)
    return max(ends)


def _with(times: Sequence[int], now: int) -> list[int]:
    return [*(at for at in times if at > now - KEPT_MS), now]


def _hashes(site: Site, email: str) -> tuple[str, str]:
    """The (hash for this site, hash for all sites) of a mailbox."""
    mailbox = mailbox_of(email)
    return _hash(f"mailbox {site.uuid} {mailbox}"), _hash(f"mailbox {mailbox}")


def _declined_hash(site: Site, email: str) -> str:
    return _hash(f"declined {site.uuid} {mailbox_of(email)}")


def _hash(text: str) -> str:
    return pepper.digest("mailbox", text)
