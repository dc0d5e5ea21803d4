"""Pages of searches, in one process: far pages of a list that nobody changes, and combinations of filters.

The limit is a scan of all subscribers, as in `bench.segments`; it leaves out making a page. Each round has
the scan and all others, the median of the runs.
"""

from functools import partial
from pathlib import Path
from typing import Any

from audience.access.sites import Site
from audience.searches.searches import SearchRequest, search_texts
from bench import instances, scans
from bench.people import TAGS, email
from bench.rows import Row
from storage.searches import bookmarks

EARLY, LATE = 1, 2**60
QUIET_MS, CHANGED_MS, SEARCH_MS = 15, 60, 300
FAR_PAGE = 5_000
PAGES = "http://bench/"
ALL: dict[str, Any] = {"after": {}, "before": {}}
COMBINED: dict[str, Any] = {
    "one tag": {"tags": TAGS[:1]},
    "two tags that few have both": {"tags": [TAGS[0], TAGS[1]]},
    "three tags that nobody has": {"tags": TAGS[:3]},
    "no `updated_at` that late": {"after": {"updated_at": LATE}},
    "no `updated_at` that early": {"before": {"updated_at": EARLY}},
    "`last_event_at` of all, `unsubscribed_at` of none": {
        "after": {"last_event_at": EARLY}, "before": {"unsubscribed_at": EARLY},
    },
    "tag, all four dates": {
        "tags": TAGS[:1],
        "after": dict.fromkeys(("created_at", "updated_at", "last_event_at", "unsubscribed_at"), EARLY),
    },
    "address": {"email": email(5)},
    "`q`, of one": {"beginning": email(77)},
    "`q`, of all": {"beginning": "person"},
    "`q`, of nobody": {"beginning": "zzz"},
}  # fmt: skip


def measure(instance: Path, total: int, runs: int) -> list[Row]:
    with instances.open_instance(instance) as site:
        return of_site(site, total, runs)


def of_site(site: Site, total: int, runs: int) -> list[Row]:
    def page(number: int, **query: Any) -> scans.Act:
        return partial(search_texts, site, SearchRequest(**(ALL | query)), number, PAGES)

    last = total // 100 - 1
    lists = {f"list, page {number:,}": page(number) for number in (1, 100, last // 2, last)}
    searches = {f"search, {name}": page(1, **query) for name, query in COMBINED.items()}
    for number in (last // 2, last):
        page(number)()  # the second makes bookmarks
        page(number)()
    goals = dict.fromkeys(lists, QUIET_MS) | dict.fromkeys(searches, SEARCH_MS)
    far = min(FAR_PAGE, last)
    changed = f"list, page {far:,}, just after a change"
    return [
        *scans.rows(lists | searches, goals, runs),
        *scans.rows({changed: partial(_read_changed, page(far))}, {changed: CHANGED_MS}, runs),
    ]


def _read_changed(page: scans.Act) -> None:
    """A page of a list that was just changed."""
    bookmarks.bookmarks.is_quiet(None)  # forgets all
    page()
