"""How a site grew: how many subscribers were new, and how many unsubscribed, in each part of a period."""

from dataclasses import dataclass

from audience.access.sites import Site
from audience.reports.periods import Period
from storage import database
from storage.reports import queries as report_queries


@dataclass(frozen=True)
class Growth:
    """For each part of a period, how many subscribers are `new`, and how many `unsubscribed` in it and still
    are unsubscribed.
    """

    new: list[int]
    unsubscribed: list[int]

    @property
    def net(self) -> list[int]:
        return [new - unsubscribes for new, unsubscribes in zip(self.new, self.unsubscribed, strict=True)]


@database.snapshot()
def measure(site: Site, period: Period) -> Growth:
    return Growth(*(
        report_queries.count_subscribers_in(site.id, date, report_queries.MATCH_ALL, period.parts)
        for date in ("created_at", "unsubscribed_at")
    ))  # fmt: skip
