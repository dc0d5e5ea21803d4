"""Counts of a site's subscribers."""

from collections.abc import Sequence
from dataclasses import dataclass

from audience.access.sites import Site
from storage import database
from storage.access import sites as stored
from storage.errors import Unavailable
from storage.reports import queries as report_queries
from storage.searches import lists as subscriber_lists
from storage.subscribers import domains, field_values, tags


@dataclass(frozen=True)
class Counts:
    """The counts of a site. `users` are all subscribers, `unsubscribers` those of them who unsubscribed."""

    users: int
    unsubscribers: int

    @property
    def subscribers(self) -> int:
        """The number of subscribers who are not unsubscribed."""
        return self.users - self.unsubscribers


@database.session()
def for_site(site: Site) -> Counts:
    """The stored counts of a site, which every write updates."""
    return Counts(*stored.counters(site.id))


def for_each(sites: Sequence[Site]) -> list[tuple[Site, Counts | None]]:
    """The sites with their stored counts; None for a site whose tables do not answer."""
    return [(site, _answered(site)) for site in sites]


def _answered(site: Site) -> Counts | None:
    try:
        return for_site(site)
    except Unavailable:
        return None


@database.session()
def recount(site: Site) -> Counts:
    """The counts of a site, counted from its subscribers."""
    return Counts(*stored.recount(site.id))


def stored_and_counted(site: Site) -> tuple[Counts, Counts]:
    """The (stored, counted) counts of a site, as of one instant."""
    with database.snapshot():
        return Counts(*stored.counters(site.id)), Counts(*stored.recount(site.id))


@database.snapshot()
def wrong_counters(site: Site) -> list[str]:
    """The names of the stored counters, `domains` and `tags` among them, that differ from a new count."""
    differ = {
        "domains": field_values.counts(site.id, field_values.DOMAIN) != domains.recount(site.id),
        "tags": bool(tags.wrong_counts(site.id)),
    }
    return [name for name, differs in differ.items() if differs]


@database.writes_site
def repair(site: Site) -> None:
    """Counts subscribers and their tags anew, and stores the counts."""
    stored.put_counters(site.id, *stored.recount(site.id))
    tags.put_bearers(site.id, tags.wrong_counts(site.id))


@database.session()
def active_since(site: Site, at: int) -> int:
    """The number of subscribers with an event since an instant in milliseconds."""
    [count] = report_queries.count_subscribers_in(
        site.id, "last_event_at", report_queries.MATCH_ALL, [(at, report_queries.ALWAYS[1])]
    )
    return count


@database.session()
def first_created(site: Site) -> int | None:
    """When the oldest subscriber was created, in milliseconds; None without subscribers."""
    return subscriber_lists.first_created(site.id)
