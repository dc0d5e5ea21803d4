"""How many signed up by each form, were sent an email and confirmed, in four weeks and the four before; and
how long confirmations wait.
"""

from collections import Counter
from typing import NamedTuple

from audience import clock
from audience.access.sites import Site
from audience.clock import DAY_MS
from storage import database
from storage.sign_ups import backlog, counts
from storage.sign_ups.sign_ups import CONFIRMED, SENT

DAYS = 28
ASKED = "asked"
ALL = 0  # in place of the id of a form


class Numbers(NamedTuple):
    asked: int
    sent: int
    confirmed: int


class Figures(NamedTuple):
    """The numbers of `DAYS` until now, those of as many days before, and who signed up on each day."""

    now: Numbers
    before: Numbers
    by_day: tuple[int, ...]


@database.session()
def by_form(site: Site) -> dict[int, Figures]:
    """Those of each form with sign-ups, by its id, and of `ALL`."""
    start = clock.now_ms() - DAYS * DAY_MS
    outcomes: Counter[tuple[int, bool, str]] = Counter()
    days: Counter[tuple[int, int]] = Counter()
    for form_id, at, outcome, number in counts.since(site.id, start - DAYS * DAY_MS):
        for key in (form_id, ALL):
            outcomes[key, at < start, outcome] += number
            if outcome == ASKED:
                days[key, (at - start) // DAY_MS] += number
    return {key: _figures(key, outcomes, days) for key in {ALL, *(key for key, _, _ in outcomes)}}


def _figures(key: int, outcomes: Counter[tuple[int, bool, str]], days: Counter[tuple[int, int]]) -> Figures:
    now, before = (
        Numbers(*(outcomes[key, is_before, outcome] for outcome in (ASKED, SENT, CONFIRMED)))
        for is_before in (False, True)
    )
    return Figures(now, before, tuple(days[key, day] for day in range(DAYS)))


@database.session()
def oldest_waiting_seconds() -> float:
    """For how long a confirmation has waited to be sent, of any site; 0 if none waits."""
    since = backlog.oldest_waiting()
    return 0.0 if since is None else max(0, clock.now_ms() - since) / 1000
