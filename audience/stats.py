"""How many people a site has (spec section 2.3)."""

from dataclasses import dataclass

from audience.sites import Site
from storage import database
from storage import sites as stored


@dataclass(frozen=True)
class Counts:
    users: int
    unsubscribers: int

    @property
    def subscribers(self) -> int:
        return self.users - self.unsubscribers


@database.session()
def site(site: Site) -> Counts:
    """The counts as kept, in the transaction of every change."""
    return Counts(*stored.counters(site.id))


@database.session()
def recount(site: Site) -> Counts:
    """The counts as counted from the people: the check on `site`."""
    return Counts(*stored.recount(site.id))


def checked(site: Site) -> tuple[Counts, Counts]:
    """The counts as kept and as counted, of one instant."""
    with database.snapshot():
        return Counts(*stored.counters(site.id)), Counts(*stored.recount(site.id))


@database.write()
def mend(site: Site) -> None:
    """Keeps the counts as counted."""
    stored.put_counters(site.id, *stored.recount(site.id))
