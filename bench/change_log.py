"""The record of changes is read in pages of 1,000, and an import is taken back.

Two imports are measured: of as many new people as the instance has, and of all whom it has, each with another
age. `limit` of reading is the rate that is asked for; of an undo it is the CPU time of the import that it
takes back. One client reads, over HTTP, one page after another; the last tenth of the record stands beside
the first. Seconds of an undo are those of the clock, for as many rows as there are people. Bytes are those of
the record's rows and of their index, for each person.
"""

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

import orjson

from audience.access.sites import Site
from audience.changes import pages as change_log_pages
from audience.imports import file_imports
from audience.operations import site_lane
from audience.undo import undos
from bench import instances, people
from bench.rows import CPU, MS, Row
from schemas.formats.rows import FileRow
from storage import database
from tests.client import FakeQueue, basic
from tests.service import Service
from workers import interpreter

SIZE = "SELECT sum(pgsize) FROM dbstat WHERE name IN ('change_log', 'changed_subscribers')"
PAGE, RATE, SECONDS_OF_A_MILLION = 1_000, 50_000, 120
DAYS = 30


def file_rows(first: int, rows: int, age: int) -> Generator[FileRow]:
    for number in range(first, first + rows):
        yield FileRow(number, None, item=people.item(number, age))


def imported(site: Site, first: int, rows: int, age: int) -> int:
    """The id of an import that waits."""
    with file_imports.receiving(site) as upload:
        upload.store(file_rows(first, rows, age))
        upload.accept(["email"], FakeQueue())
    return upload.import_id


def drained(site: Site) -> tuple[float, float]:
    """Seconds, and those of CPU, until nothing waits any more."""
    began, cpu = time.perf_counter(), time.process_time()
    while site_lane.drain(site.id, 2):
        pass
    return time.perf_counter() - began, time.process_time() - cpu


def size() -> int:
    with database.session():
        return int(database.row(SIZE)[0] or 0)


def undo_rows(site: Site, what: str, first: int, rows: int) -> list[Row]:
    before, import_id = size(), imported(site, first, rows, 1)
    _, of_import = drained(site)
    grown = (size() - before) / rows
    undos.undo_import(site, import_id, DAYS)
    seconds, cpu = drained(site)
    undo = undos.get(site, undos.import_source(import_id))
    if (undo.status, undo.removed + undo.restored) != ("finished", rows):
        raise RuntimeError(undo)
    most = SECONDS_OF_A_MILLION * rows / 1e6
    ours, limit = cpu / rows * 1e6, of_import / rows * 1e6
    name = f"undo of an import, {what}"
    return [
        Row(what=f"{name}, a row", ours=ours, unit=CPU, limit=limit, cpu_of_limit=limit / ours),
        Row(what=f"record of an import, {what}, a person", ours=grown, unit="bytes"),
        Row(what=f"{name}, whole", ours=seconds, unit="s", limit=most, of_limit=most / seconds, at_least=1),
    ]


def pages(service: Service, after: int) -> Iterator[tuple[float, int]]:
    """(seconds, changes) of each page after a number."""
    key = {"Authorization": basic(service.first["publishable_key"], service.first["secret_key"])}
    query, has_more = {"site_uuid": service.first["site_uuid"], "limit": PAGE}, True
    with closing(HTTPConnection("127.0.0.1", service.port, timeout=60)) as connection:
        while has_more:
            began = time.perf_counter()
            connection.request(
                "GET", f"/api/v1/fetch/changes?{urlencode(query | {'after': after})}", headers=key
            )
            text = connection.getresponse().read()
            seconds, page = time.perf_counter() - began, orjson.loads(text)
            yield seconds, len(page["data"])
            after, has_more = page["meta"]["next"], page["meta"]["has_more"]


def read(instance: Path, what: str, after: int) -> list[Row]:
    with instances.served(instance) as service:
        times = list(pages(service, after))
    rate = sum(count for _, count in times) / sum(seconds for seconds, _ in times)
    tenth = max(1, len(times) // 10)
    first, last = (median(id_ for id_, _ in some) * 1e3 for some in (times[:tenth], times[-tenth:]))
    return [
        Row(
            what=f"changes read, {what}", ours=rate, unit="changes/s", limit=RATE, of_limit=rate / RATE,
            at_least=1,
        ),
        Row(
            what=f"a page of 1,000, {what}, last beside first", ours=last, unit=MS, limit=first,
            of_limit=first / last, at_least=0.9,
        ),
    ]  # fmt: skip


def measure(instance: Path, total: int, _: int) -> list[Row]:
    interpreter.settle()
    results = []
    for what, first in (("all new", total), ("all changed", 0)):
        with instances.open_instance(instance) as site:
            undone = undo_rows(site, what, first, total)
            after = change_log_pages.newest_number(site)
            imported(site, first, total, 2)
            drained(site)
        results += [*undone, *read(instance, what, after)]
    return results
