"""The pieces of acts on many subscribers, as a worker does them: each in a transaction of its own.

A piece is taken away in the transaction that writes it: a crash neither loses one nor does one twice.
"""

import logging
import time
from itertools import count
from pathlib import Path
from typing import Any

from audience import clock, erasures, subscribers
from audience.bulk_acts import (
    ERASE,
    EXPORT,
    EXPORT_KEPT_MS,
    PIECES_AT_ONCE,
    TAG,
    UNSUBSCRIBE,
    UNTAG,
    BulkAct,
    end,
    require,
)
from audience.changes import Acceptance, Change, Consent, Outcome, Source
from audience.errors import where
from audience.jobs import MACHINE_FAULTS
from audience.sites import Site
from storage import bulk_acts as stored
from storage import database, leases, sites
from storage.bulk_acts import FAILED, FINISHED

log = logging.getLogger(__name__)


def work(instance: Path, seconds: float) -> None:
    """Works on the acts that wait, for about `seconds`; call it again and again. Raises `MACHINE_FAULTS`."""
    deadline = time.monotonic() + seconds
    for turn in count():
        with database.session():
            waiting = stored.waiting()
            by_id = {site.id: site for site in sites.list_all()}
        if not waiting or time.monotonic() > deadline or database.log_is_full():
            return
        site_id, act_id = waiting[turn % len(waiting)]
        _take_turn(by_id[site_id], act_id, instance)


def _take_turn(site: Site, act_id: int, instance: Path) -> None:
    try:
        erased = _do_piece(site, act_id, instance)
        if erased:
            erasures.blank_waiting(site, erased)
    except MACHINE_FAULTS:
        raise
    except Exception as error:
        log.error("act %d stopped: %s", act_id, where(error))
        with database.write(site.id):
            stored.set_status(site.id, act_id, FAILED)


@database.writes_site
def _do_piece(site: Site, act_id: int, instance: Path) -> set[str]:
    """Does the next piece, or ends the act; returns the keys of those it erased."""
    accepted = subscribers.accept_now(site.id, Source("bulk_act", act_id))
    act = require(site.id, act_id)
    piece = stored.first_piece(site.id, act_id)
    if not act.is_open:
        return set()
    if piece is None:
        end(site, act, FINISHED)
        return set()
    piece_id, ids = piece
    known = stored.keys(site.id, ids)
    if act.kind == ERASE:
        erasures.erase_several(site, instance, [key for _, key in known.values()], accepted)
        changed = list(known)
    else:
        changes = [Change(key, email, creates=False, **_change(act)) for email, key in known.values()]
        accepted = Acceptance(act.seq, act.accepted_at, accepted.source)
        outcomes = subscribers.write(site.id, changes, accepted).outcomes
        changed = [each for each, outcome in zip(known, outcomes, strict=True) if outcome is Outcome.UPDATED]
    stored.advance(site.id, act.id, len(ids), len(changed), clock.now_ms())
    stored.drop_piece(site.id, piece_id)
    if act.done + len(ids) >= act.people:
        end(site, require(site.id, act_id), FINISHED)
    return {key for _, key in known.values()} if act.kind == ERASE else set()


def _change(act: BulkAct) -> dict[str, Any]:
    if act.kind == UNSUBSCRIBE:
        return {"consent": Consent.UNSUBSCRIBE}
    return {"tags" if act.kind == TAG else "remove_tags": (act.tag,)}


def sweep() -> None:
    """Gives up selections that nobody is at; forgets old exports, and what acts that ended have left."""
    at, now = clock.now_ms(), leases.now(clock.uptime_ms())
    with database.session():
        stopped = stored.abandoned(now, at)
    for site_id, act_id in stopped:
        with database.write(site_id):
            stored.give_up(site_id, act_id, now, at)
    with database.session():
        old = [
            *stored.with_old_pieces([EXPORT], at - EXPORT_KEPT_MS),
            *stored.with_old_pieces([TAG, UNTAG, UNSUBSCRIBE, ERASE], at),
        ]
    for site_id, act_id in old:
        with database.write(site_id):
            stored.drop_pieces(site_id, act_id, PIECES_AT_ONCE)
