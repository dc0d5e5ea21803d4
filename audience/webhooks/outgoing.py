"""Whether this instance sends webhooks' messages and emails. A copy of its database sends none at first."""

import uuid

from storage import database
from storage.access import sites as stored_sites
from storage.access.sites import Site
from storage.instance import state as instance_state
from storage.sign_ups import link_requests, sign_ups
from storage.webhooks import webhooks


def is_sent_here() -> bool:
    """Whether messages are sent from the open database: always, except during a move.

    If the database is a copy of the one that sent messages before, first holds all of them, once; see
    `pause_all`.
    """
    with database.session():
        if not instance_state.is_here():
            return False
        home, here = instance_state.home()
    if here not in ("", home):
        if home:
            pause_all()
        with database.write(database.SHARED):
            instance_state.put_home(here)
    return True


def pause_all() -> int:
    """Pauses all webhooks of a restored or copied instance, for operators to resume. Returns how many.

    Also holds all waiting sign-ups: whoever signed up may have unsubscribed since.
    """
    with database.session():
        sites = stored_sites.list_all()
    return sum(_hold(site) for site in sites)


@database.writes_site
def _hold(site: Site) -> int:
    """Pauses a site's webhooks, holds its waiting sign-ups, deletes its requests for links.

    Returns how many webhooks were paused. Confirmation links that were sent confirm nothing: waiting, held
    and failed sign-ups get new ones.
    """
    link_requests.delete(site_id=site.id)
    sign_ups.end_sent(site.id)
    held = {"status": sign_ups.HELD, "reason": sign_ups.RESTORED}
    for status, values in {sign_ups.FAILED: {}, sign_ups.HELD: {}, sign_ups.WAITING: held}.items():
        for sign_up in sign_ups.with_status(site.id, status):
            sign_ups.change(values | {"nonce": str(uuid.uuid4())}, site_id=site.id, id=sign_up.id)
    return webhooks.pause_all(site.id, webhooks.RESTORED)
