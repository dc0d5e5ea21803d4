"""The core of an import: the drain of accepted batches, compared with bare `executemany` of the same rows.

The limit writes what the drain writes, in the same transactions: subscribers with the same indexes, tag
links, custom values and domains, the counters of the site and of tags, the row of the record of changes and
whom it changed. All rows are made and put into the order of their tables before, known people are updated by
an id that is known, and their values of before are known. It keeps the log as the drain does. It leaves out
reading and deleting payloads, looking up who exists, deciding, and the import's own progress. Both run in a
process that is set as a worker is. CPU time, each pair interleaved, the median of the runs.
"""

import json
import statistics
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from audience import clock
from audience.access.sites import Site
from audience.changes.changes import Change, change_from_item
from audience.changes.entries import Entries
from audience.imports import imports
from audience.operations import site_lane
from audience.subscribers import field_values
from bench import instances, people
from bench.people import item
from bench.rows import CPU, Row
from storage import database
from storage.access import sites as stored_sites
from storage.changes import changed_subscribers
from storage.changes import log as change_log
from storage.pace import Pace
from storage.subscribers import batches as stored
from storage.subscribers import custom_fields, tags, value_changes
from storage.subscribers import field_values as stored_values
from tests.client import FakeQueue
from workers import interpreter

BATCH, CHUNK = 1_000, 500  # a chunk is what an idle service writes in a turn of 15 ms
ROWS = 6_000  # of a run, at most
GOALS = {"half new": 0.85, "all new": 0.80}


def drained(site: Site, items: list[dict[str, Any]], chunk: int = CHUNK) -> float:
    """Seconds of CPU to drain items that were accepted before."""
    for first in range(0, len(items), BATCH):
        imports.accept(site, list(enumerate(items[first : first + BATCH])), [], FakeQueue(), 0)
    vars(imports)["_pace"] = Pace(chunk, chunk, chunk)  # whatever else the machine does
    start = time.process_time()
    while site_lane.drain(site.id, 3600):
        pass
    return time.process_time() - start


def bare(site: Site, items: list[dict[str, Any]], seconds: Callable[[], float] = time.process_time) -> float:
    """Seconds to write the same rows, all made before."""
    batches = [items[first : first + BATCH] for first in range(0, len(items), BATCH)]
    chunks = [
        _chunk(site, batch[first : first + CHUNK])
        for batch in batches
        for first in range(0, len(batch), CHUNK)
    ]
    start = seconds()
    for new, existing, links, added, removed, (entries, changed), packed in chunks:
        with database.write():
            stored.insert(new)
            stored.update(site.id, existing)
            tags.link(links)
            tags.add_to_counters(site.id, Counter(tag_id for _, tag_id, _ in links))
            value_changes.add(site.id, added, removed)
            stored_sites.add_to_counters(site.id, len(new), 0)
            number = change_log.add(site.id, entries, clock.now_ms(), ("import", 1), packed)
            changed_subscribers.add(site.id, number, changed)
        field_values.merge_if_due(site.id)
    return seconds() - start


_next_id = 0


def _chunk(site: Site, items: list[dict[str, Any]]) -> tuple[Any, ...]:
    """The rows of one transaction: new people, and those known with another age."""
    global _next_id
    changes = [change_from_item(item) for item in items]
    with database.session():
        _next_id = max(_next_id, stored.new_ids(1)[0])
        existing = stored.read_existing(site.id, [change.key for change in changes])
        tag_ids = tags.ids(site.id, people.TAGS)
        ids = custom_fields.ids(site.id, people.FIELDS)
    new, updated, links = [], [], []
    removed, added = (field_values.Holders(ids) for _ in range(2))
    entries = Entries()
    for change in changes:
        before = existing.get(change.key)
        if before is None:
            tagged = [tag_ids[name] for name in change.tags]
            new.append(_row(site, change, _next_id, tagged))
            links += [(site.id, tag_id, _next_id) for tag_id in tagged]
            added.add(change.fields, _next_id)
            added.add_domain(change.key, _next_id)
            _next_id += 1
        else:
            subscriber = list(before)
            subscriber[stored.FIELDS] = json.dumps(change.fields, ensure_ascii=False, separators=(",", ":"))
            age = json.loads(before[stored.FIELDS])["age"]
            removed.add({"age": age}, subscriber[stored.ID])
            added.add({"age": change.fields["age"]}, subscriber[stored.ID])
            updated.append(subscriber)
            values = [{"fields": {"age": value}} for value in (change.fields["age"], age)]
            entries.changed.append((subscriber[stored.ID], *values))
    entries.created = [subscriber[stored.ID] for subscriber in new]
    of_record = (len(entries), [subscriber[stored.ID] for subscriber in updated]), entries.pack()
    by_value = _by_id(site, added), _by_id(site, removed)
    return new, {stored.TEXTS: updated}, sorted(links), *by_value, *of_record


def _row(site: Site, change: Change, subscriber_id: int, tag_ids: list[int]) -> list[Any]:
    at, fields = clock.now_ms(), json.dumps(change.fields, ensure_ascii=False, separators=(",", ":"))
    return [subscriber_id, change.email, fields, json.dumps(tag_ids), change.first_name, change.last_name,
            None, None, None, 0, 0, None, at, change.key, f"{time.time_ns():020}{subscriber_id:016}",
            "import 1", at, site.id]  # fmt: skip


def _by_id(site: Site, holders: field_values.Holders) -> dict[int, list[int]]:
    """The subscribers by the ids of their values, which are added if the site has them not."""
    with database.write():
        stored_values.save(site.id, {value: [] for value in holders.by_value}, {})
        ids = stored_values.value_ids(site.id, holders.by_value)
    return {ids[value[stored_values.KEY]]: holding for value, holding in holders.by_value.items()}


_added = time.time_ns() // 1_000  # nobody's number


def rows(count: int, existing: int, age: int, total: int) -> list[dict[str, Any]]:
    """`known` people, spread over the `total`, with another age, and new ones between them."""
    global _added
    items = [item(number * 7919 % total, age) for number in range(existing)]
    items += [item(number) for number in range(_added, _added + count - existing)]
    _added += count
    return [items[index * 7919 % count] for index in range(count)]


def measure(instance: Path, total: int, runs: int) -> list[Row]:
    interpreter.settle()
    with instances.open_instance(instance) as site:
        return of_site(site, total, runs)


def of_site(site: Site, total: int, runs: int) -> list[Row]:
    results, count = [], min(ROWS, total)
    for name, existing in (("half new", count // 2), ("all new", 0)):
        ours, limits = [], []
        for run in range(runs):
            both = [rows(count, existing, age, total) for age in (2 * run + 1, 2 * run + 2)]
            ours.append(drained(site, both[0]) / count * 1e6)
            limits.append(bare(site, both[1]) / count * 1e6)
        row, limit = statistics.median(ours), statistics.median(limits)
        results.append(
            Row(what=f"import core, {name}, a row", ours=row, unit=CPU, limit=limit, of_limit=limit / row,
                cpu_of_limit=limit / row, at_least=GOALS[name])
        )  # fmt: skip
    return results
