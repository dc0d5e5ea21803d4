"""Pages of searches, in one process: far pages of a list that nobody changes, and combinations of filters.

The limit is a scan of all subscribers, as in `bench.segments`.
"""

from collections.abc import Callable
from typing import Any

from audience import subscribers
from audience.sites import Site
from audience.subscribers import SearchRequest
from bench import instances
from bench.people import TAGS, email
from bench.rows import MS, Row, parser, show
from bench.segments import middle_ms, scan
from storage import bookmarks

EARLY, LATE = 1, 2**60
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


def measure(site: Site, total: int, runs: int) -> list[Row]:
    limit = middle_ms(scan, runs)

    def page(number: int, **query: Any) -> Callable[[], object]:
        return lambda: subscribers.search_texts(site, SearchRequest(**(ALL | query)), number, PAGES)

    last = total // 100 - 1
    found = {f"list, page {number:,}": page(number) for number in (1, 100, last // 2, last)}
    found |= {f"search, {name}": page(1, **query) for name, query in COMBINED.items()}
    for far in (last // 2, last):
        page(far)()  # the second makes bookmarks
        page(far)()
    rows = [_row(name, middle_ms(act, runs), limit, "300 ms") for name, act in found.items()]
    bookmarks.bookmarks.is_quiet(None)  # forgets all
    return [
        *rows,
        _row(f"list, page {last:,}, just after a change", middle_ms(page(last), 1), limit, "60 ms"),
    ]


def _row(what: str, ms: float, limit: float, goal: str) -> Row:
    if what.startswith("list") and goal == "300 ms":
        goal = "15 ms"
    return Row(what=what, ours=ms, unit=MS, limit=limit, of_limit=limit / ms, goal=goal)


def main() -> None:
    options = parser(__doc__, 1_000_000).parse_args()
    with (
        instances.filled(options.instance, options.subscribers) as instance,
        instances.opened(instance) as site,
    ):
        show(measure(site, options.subscribers, options.runs), options.json)


if __name__ == "__main__":
    main()
