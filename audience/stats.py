"""Counts of a site's subscribers."""

from dataclasses import dataclass

from audience.sites import Site
from storage import database
from storage import sites as stored


@dataclass(frozen=True)
class Counts:
    """`users` are all subscribers, `unsubscribers` those of them that have unsubscribed."""

    users: int
    unsubscribers: int

    @property
    def subscribers(self) -> int:
        return self.users - self.unsubscribers


@database.session()
def for_site(site: Site) -> Counts:
    """The stored counts, which every change updates."""
    return Counts(*stored.counters(site.id))


@database.session()
def recount(site: Site) -> Counts:
    """The counts of the stored subscribers."""
    return Counts(*stored.recount(site.id))


def kept_and_counted(site: Site) -> tuple[Counts, Counts]:
    """(`for_site`, `recount`) in one snapshot."""
    with database.snapshot():
        return Counts(*stored.counters(site.id)), Counts(*stored.recount(site.id))


@database.write()
def repair(site: Site) -> None:
    """Stores the counts of the stored subscribers."""
    stored.put_counters(site.id, *stored.recount(site.id))
