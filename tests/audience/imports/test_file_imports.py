"""Files as imports: what an interruption leaves, and what a dry run counts."""

import pytest

from audience import clock
from audience.errors import Refused, ServiceUnavailable
from audience.imports import dry_runs, file_imports, imports
from audience.imports import payloads as import_payloads
from audience.operations import site_lane
from audience.undo import undos
from schemas.formats.rows import FileRow
from storage import database, leases
from storage.imports import file_imports as stored


def good(*numbers, email="p{}@example.com", **values):
    for number in numbers:
        address = email.format(number)
        yield FileRow(number, {}, address, item={"email": address, **values})


def bad(*numbers):
    for number in numbers:
        yield FileRow(
            number, {}, f"p{number}@", code="email", message="No address.", cells=[f"p{number}@", "x"]
        )


def then_interrupted(rows):
    yield from rows
    raise KeyboardInterrupt


def batches(import_id):
    with database.session():
        rows = database.rows(
            "SELECT payload FROM import_batches WHERE import_id = ? ORDER BY id", (import_id,)
        )
    return [[change.email for change in import_payloads.read(payload) if change] for (payload,) in rows]


def test_a_batch_ends_with_the_row_that_makes_it_too_long(site):
    upload = file_imports.resume(site, "people.csv")
    upload.store(good(1, 2, 3, fields={"note": "x" * (file_imports.BATCH_LENGTH // 2)}))
    assert batches(upload.import_id) == [["p1@example.com", "p2@example.com"], ["p3@example.com"]]


def test_an_interrupted_file_goes_on_behind_the_last_row_stored(site, monkeypatch):
    monkeypatch.setattr(file_imports, "BATCH_ROWS", 2)
    first = file_imports.resume(site, "people.csv")
    with pytest.raises(KeyboardInterrupt):
        first.store(then_interrupted([*good(1), *bad(2), *good(3)]))
    second = file_imports.resume(site, "people.csv")
    assert (second.import_id, second.stored_rows, second.complete) == (first.import_id, 2, False)
    second.store(row for row in [*good(1), *bad(2), *good(3, 4)])
    second.accept(["email"])
    assert batches(second.import_id) == [["p1@example.com"], ["p3@example.com", "p4@example.com"]]
    assert [row.row_number for row in file_imports.list_refused(site, second.import_id)] == [2]
    assert file_imports.resume(site, "people.csv").complete
    site_lane.drain(site.id, 30)
    assert file_imports.resume(site, "people.csv").import_id != second.import_id


def test_the_rows_are_let_go_when_they_cannot_be_stored(site):
    closed = []

    def rows():
        try:
            yield from good(1, 2, 3)
        finally:
            closed.append(True)

    upload = file_imports.resume(site, "people.csv")
    upload.discard()
    with pytest.raises(ServiceUnavailable):
        upload.store(rows())
    assert closed == [True]
    assert batches(upload.import_id) == []


def test_who_sends_a_file_that_is_taken_back_meanwhile_reads_so(site):
    upload = file_imports.resume(site, "people.csv")
    upload.store(good(1, 2))
    undos.undo_import(site, upload.import_id, 30)
    for go_on in (lambda: upload.store(good(1, 2, 3)), lambda: upload.accept(["email"])):
        with pytest.raises(Refused, match="undone"):
            go_on()
    again = file_imports.resume(site, "people.csv")
    assert (again.complete, again.stored_rows) == (False, 0)


def test_a_file_whose_first_pieces_are_being_deleted_is_not_accepted(site, monkeypatch):
    monkeypatch.setattr(file_imports, "BATCH_ROWS", 1)
    monkeypatch.setattr(stored, "PAGE_ROWS", 50)
    upload = file_imports.resume(site, "people.csv")
    upload.store(good(1, 2, 3))
    later = clock.now_ms() + file_imports.RESUME_MS + 1
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    monkeypatch.setattr(leases, "now", lambda own: own)
    with database.write():
        assert stored.discard(site.id, upload.import_id)
    assert len(batches(upload.import_id)) == 2
    with pytest.raises(ServiceUnavailable):
        upload.accept(["email"])
    with pytest.raises(ServiceUnavailable):
        upload.store(good(1, 2, 3, 4))
    assert file_imports.resume(site, "people.csv").import_id != upload.import_id
    file_imports.sweep()
    assert [each.rows for each in imports.newest(site)] == [0]


def test_refused_rows_are_read_page_by_page_in_order(site, monkeypatch):
    monkeypatch.setattr(stored, "PAGE_ROWS", 2)
    upload = file_imports.resume(site, "people.csv")
    upload.store(bad(2, 3, 5, 7, 11))
    assert [row.row_number for row in file_imports.list_refused(site, upload.import_id)] == [2, 3, 5, 7, 11]
    assert file_imports.refusals(site, upload.import_id) == [("email", 5)]


@pytest.mark.parametrize(("most", "counts", "whole"), [
    (None, {"created": 3, "updated": 1, "refused": 1}, True),
    (5, {"created": 3, "updated": 1, "refused": 1}, True),
    (4, {"created": 3, "refused": 1}, False),
])  # fmt: skip
def test_a_dry_run_creates_an_address_once_however_far_apart_its_rows_are(
    site, monkeypatch, most, counts, whole
):
    monkeypatch.setattr(dry_runs, "BATCH_ROWS", 2)
    rows = (row for row in [*good(1, 2), *bad(3), *good(4), *good(1, fields={"plan": "b"})])
    done = dry_runs.dry_run(site, rows, most)
    assert (done.counts, done.whole, done.rows_seen) == (counts, whole, sum(counts.values()))
    assert imports.newest(site) == []
