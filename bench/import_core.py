"""The core of an import: the drain of accepted batches, compared with bare `executemany` of the same rows.

The limit writes what the drain writes, in transactions of as many rows: subscribers with the same indexes,
tag links, custom values, the counters of the site, of domains and of tags; known people are updated by id. It
keeps the log as the drain does. It leaves out reading payloads, looking up who exists and deciding. CPU time,
each pair interleaved, the median of the runs.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from audience import clock, field_values, imports, pepper, sites, subscribers
from audience.changes import Change, change_from_item
from audience.sites import Site
from storage import custom_fields, database, domains, tags
from storage import field_values as stored_values
from storage import sites as stored_sites
from storage import subscriber_batches as stored
from storage.pace import Pace
from tests.client import FakeQueue

BATCH, CHUNK = 1_000, 150  # a chunk is what fits into a turn of 15 ms
TAGS = ["customer", "newsletter"]
CITIES = ["Oslo", "Zürich", "Paris", "Rome"]


def item(number: int, age: int) -> dict[str, Any]:
    return {
        "email": f"person{number}@example{number % 500}.com",
        "first_name": "Ann",
        "last_name": "Lee",
        "tags": TAGS,
        "fields": {"plan": "pro", "age": (number + age) % 90, "city": CITIES[number % 4]},
    }


def drained(site: Site, items: list[dict[str, Any]]) -> float:
    """Seconds of CPU to drain items that were accepted before."""
    for first in range(0, len(items), BATCH):
        imports.accept(site, list(enumerate(items[first : first + BATCH])), [], FakeQueue(), 0)
    vars(imports)["_pace"] = Pace(CHUNK, CHUNK, CHUNK)  # whatever else the machine does
    start = time.process_time()
    while imports.drain(site.id, 3600):
        pass
    return time.process_time() - start


def bare(site: Site, items: list[dict[str, Any]]) -> float:
    """Seconds of CPU to write the same rows, all made before."""
    chunks = [_chunk(site, items[first : first + CHUNK]) for first in range(0, len(items), CHUNK)]
    start = time.process_time()
    for new, known, links, removed, added, people in chunks:
        with database.write():
            stored.insert(new)
            stored.update(site.id, known)
            tags.link(links)
            stored_values.remove(removed)
            stored_values.add(added)
            stored_sites.count(site.id, len(new), 0)
            domains.count(site.id, people)
            tags.count(site.id, Counter(tag_id for _, tag_id, _ in links))
        database.checkpoint(only_if_due=True)
    return time.process_time() - start


_next_id = 0


def _chunk(site: Site, items: list[dict[str, Any]]) -> tuple[Any, ...]:
    """The rows of one transaction: new people, and those known with another age."""
    global _next_id
    changes = [change_from_item(each) for each in items]
    with database.session():
        _next_id = max(_next_id, stored.first_id())
        known = stored.known(site.id, [change.key for change in changes])
        tag_ids = tags.ids(site.id, TAGS)
        ids = custom_fields.ids(site.id, ["plan", "age", "city"])
    new, updated, links, removed, added = [], [], [], [], []
    people: dict[str, int] = {}
    for change in changes:
        before = known.get(change.key)
        if before is None:
            new.append(_row(site, change, _next_id, list(tag_ids.values())))
            links += [(site.id, tag_id, _next_id) for tag_id in tag_ids.values()]
            added += _values(site, change.fields, ids, _next_id)
            domain = change.key.partition("@")[2]
            people[domain] = people.get(domain, 0) + 1
            _next_id += 1
        else:
            person = list(before)
            person[stored.FIELDS] = json.dumps(change.fields, ensure_ascii=False, separators=(",", ":"))
            age = json.loads(before[stored.FIELDS])["age"]
            removed += _values(site, {"age": age}, ids, person[stored.ID])
            added += _values(site, {"age": change.fields["age"]}, ids, person[stored.ID])
            updated.append(person)
    return new, {stored.TEXTS: updated}, sorted(links), removed, added, people


def _row(site: Site, change: Change, subscriber_id: int, tag_ids: list[int]) -> list[Any]:
    at, fields = clock.now_ms(), json.dumps(change.fields, ensure_ascii=False, separators=(",", ":"))
    return [subscriber_id, change.email, fields, json.dumps(tag_ids), change.first_name, change.last_name,
            None, None, None, 0, at, change.key, at, f"{subscriber_id:036}", site.id, "import 1"]  # fmt: skip


def _values(site: Site, fields: Any, ids: dict[str, int], subscriber_id: int) -> list[Any]:
    return [
        (site.id, ids[key], *row, subscriber_id)
        for key, value in fields.items()
        for row in field_values.values(value)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subscribers", type=int, default=200_000, help="people who are there before")
    parser.add_argument("--rows", type=int, default=10_000, help="rows of a run")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pepper.open(Path(folder))
        database.open(f"sqlite:///{folder}/audience.db")
        database.migrate()
        site = sites.create("bench")
        fill(site, options.subscribers)
        print(f"{options.subscribers:,} people, {options.rows:,} rows a run; microseconds of CPU a row")
        for name, share in (("half new", 0.5), ("all new", 0.0)):
            measure(site, name, int(options.rows * share), options)
        database.close()


def fill(site: Site, people: int) -> None:
    for first in range(0, people, CHUNK):
        changes = [change_from_item(item(number, 0)) for number in range(first, first + CHUNK)]
        with database.write():
            subscribers.write(site.id, changes, subscribers.accept_now(site.id))


_added = 10_000_000


def rows(count: int, known: int, age: int, people: int) -> list[dict[str, Any]]:
    """`known` people, spread over those who are there, with another age, and new ones between them."""
    global _added
    items = [item(number * 7919 % people, age) for number in range(known)]
    items += [item(number, 0) for number in range(_added, _added + count - known)]
    _added += count
    return [items[place * 7919 % count] for place in range(count)]


def measure(site: Site, name: str, known: int, options: argparse.Namespace) -> None:
    ours, limits = [], []
    for run in range(options.runs):
        both = [rows(options.rows, known, age, options.subscribers) for age in (2 * run + 1, 2 * run + 2)]
        ours.append(drained(site, both[0]))
        limits.append(bare(site, both[1]))
    row, limit = (statistics.median(each) / options.rows * 1e6 for each in (ours, limits))
    print(f"{name:10} drain {row:7.1f}   limit {limit:7.1f}   of limit {limit / row:5.2f}")


if __name__ == "__main__":
    main()
