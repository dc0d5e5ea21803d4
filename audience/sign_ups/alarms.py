"""The alarm of a site: on while hardly anybody confirms, as when mails go to people who never asked.

While the alarm is on, all sign-ups are held, except for a trickle: a few sign-ups an hour whose mails
are sent. The alarm goes off by itself once people confirm.
"""

from audience import clock
from audience.access.sites import Site
from audience.clock import DAY_MS, HOUR_MS, MINUTE_MS
from audience.sign_ups import mailboxes, sign_ups
from storage import database
from storage import jobs as stored_jobs
from storage.sign_ups import alarms as stored
from storage.sign_ups import sign_ups as stored_sign_ups
from storage.sign_ups.alarms import Alarm
from storage.sign_ups.sign_ups import ALARM, DOMAIN, HOUR

JOB = "alarm"  # which tells the owners
GROWN_MS = 30 * MINUTE_MS  # after which a confirmation is judged
LOOKED_BACK_MS = 7 * DAY_MS
JUDGED, LEAST_CONFIRMED = 50, 5  # on if fewer of so many confirm
JUDGED_TO_END, ENOUGH_CONFIRMED = 30, 6  # off if as many do, or as large a part of fewer in those days
TRICKLE = ((10, HOUR_MS),)
TRICKLED = (ALARM, HOUR, DOMAIN)  # why those are held of which some go


def update(site_id: int) -> Alarm:
    """Turns the alarm on or off by the newest confirmations, in the caller's transaction. Returns it."""
    now, alarm = clock.now_ms(), stored.get(site_id)
    since = max(alarm.judged_from, now - LOOKED_BACK_MS)
    newest = stored_sign_ups.newest_sent(site_id, since, now - GROWN_MS, JUDGED)
    if alarm.held_at:
        last = newest[:JUDGED_TO_END]
        are_enough = len(last) == JUDGED_TO_END or alarm.held_at < now - LOOKED_BACK_MS
        if are_enough and sum(last) * JUDGED_TO_END >= ENOUGH_CONFIRMED * len(last):
            return _put(site_id, alarm._replace(held_at=0))
    elif len(newest) == JUDGED and sum(newest) < LEAST_CONFIRMED:
        stored_jobs.add(site_id, JOB, 0)
        return _put(site_id, alarm._replace(held_at=now))
    return alarm


def turn_off(site_id: int) -> None:
    """Turns the alarm off, in the caller's transaction. It is not turned on by mails sent before now."""
    _put(site_id, stored.get(site_id)._replace(held_at=0, judged_from=clock.now_ms()))


@database.session()
def held_since(site: Site) -> int:
    """When the alarm went on, in milliseconds; 0 if it is off."""
    return stored.get(site.id).held_at


def trickle(site: Site) -> None:
    """Releases a few held sign-ups, only those from networks with no other sign-up."""
    with database.write(site.id):
        update(site.id)
        most = TRICKLE[0][0]
        for sign_up in stored_sign_ups.held_from_new_networks(site.id, TRICKLED, most):
            if not mailboxes.reserve_one(f"trickle {site.uuid}", TRICKLE):
                break
            sign_ups.release(site, sign_up)


def _put(site_id: int, alarm: Alarm) -> Alarm:
    stored.put(site_id, alarm)
    return alarm
