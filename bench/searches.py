"""Pages of searches, in one process: far pages of a list, and combinations of filters.

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

EARLY, LATE = 1, 2**60
NEAR_MS, FAR_MS, SEARCH_MS = 15, 100, 300
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
    "`q`, of all": {"beginning": "p"},
    "`q`, of nobody": {"beginning": "zzz"},
}  # fmt: skip


def measure(instance: Path, total: int, runs: int) -> list[Row]:
    with instances.open_instance(instance) as site:
        return of_site(site, total, runs)


def of_site(site: Site, total: int, runs: int) -> list[Row]:
    def page(number: int, **query: Any) -> scans.Call:
        return partial(search_texts, site, SearchRequest(**(ALL | query)), number, PAGES)

    def pages(*numbers: int) -> dict[str, scans.Call]:
        return {f"list, page {number:,}": page(number) for number in numbers}

    last = total // 100 - 1
    near, far = pages(1, 100), pages(last // 2, last)
    searches = {f"search, {name}": page(1, **query) for name, query in COMBINED.items()}
    goals = dict.fromkeys(near, NEAR_MS) | dict.fromkeys(far, FAR_MS) | dict.fromkeys(searches, SEARCH_MS)
    return scans.rows(near | far | searches, goals, runs)
