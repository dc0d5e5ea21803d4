"""Whoever is erased while a file waits is taken out of it; or the file is deleted, and its page says why."""

import io
import json
from contextlib import closing
from functools import partial

import openpyxl
import pytest

from audience import clock, jobs
from audience.access.audit_log import COMMAND_LINE
from audience.erasures import erasures
from audience.imports import file_imports, file_searches, file_uploads
from audience.operations import site_lane
from audience.subscribers import subscribers
from schemas.file_records import kept_records
from storage import database, leases
from storage.imports import file_pieces
from storage.instance import erased_pages
from tests.console.test_file_uploads import asked, folder, keep, read, root, work
from tests.file_jobs import do_files
from workers.child_process import ChildProcess

__all__ = ["folder", "root"]

HEADER = "email,Vorname,Werber\r\n"
ANN = '"Ann Lee <Ann@a.example>","An\r\nna",\r\n'
PEOPLE = f"{HEADER}bob@a.example,Bob,ann@a.example\r\n{ANN}cy@a.example,Cy,\r\n"
WITHOUT_ANN = PEOPLE.replace(ANN, "," * (len(ANN) - 2) + "\r\n")


@pytest.fixture
def instance(app):
    return app.extensions["audience"].settings.instance


@pytest.fixture
def erase(site, instance):
    return partial(erasures.erase, site, instance)


@pytest.fixture
def search(instance):
    """What a worker does with files that are to be searched."""
    return partial(do_files, instance)


@pytest.fixture
def content(site, instance):
    """The bytes of the only file that waits."""

    def content():
        [upload] = file_uploads.list_waiting(site)
        with file_uploads.opened(site, instance, upload) as file:
            return file.read()

    return content


def waiting_files(site, instance):
    """How many are kept, in the folder or in the database."""
    with database.session():
        pieces = database.row("SELECT count(DISTINCT file) FROM file_pieces WHERE site_id = ?", (site.id,))[0]
    return pieces + len(list((instance / file_uploads.FOLDER).glob("*")))


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16-le", "cp1252"])
def test_the_row_of_somebody_erased_becomes_blank_and_no_other(
    site, manager, root, erase, search, content, codec
):
    sent, left = (text.replace("Bob", "Bób").encode(codec) for text in (PEOPLE, WITHOUT_ANN))
    answers = {"consent": "subscribed"} | ({"ask-encoding": codec} if codec == "cp1252" else {})
    path = keep(manager, root, sent, **answers)
    work(manager)
    assert "Of 3 rows, <b>3</b> bring" in manager.get(path).text
    erase("ann@a.example")
    search()
    assert content() == left
    work(manager)
    shown = manager.get(path).text
    assert "Of 2 rows, <b>2</b> bring" in shown
    assert "Ann Lee" not in shown
    read(manager, path, **answers)
    site_lane.drain(site.id, 30)
    assert [bool(subscribers.find(site, email=f"{name}@a.example")) for name in ("ann", "bob", "cy")] == [
        False, True, True,
    ]  # fmt: skip


@pytest.mark.parametrize("codec", ["cp1250", "gb18030", "cp932"])
def test_the_row_of_somebody_erased_becomes_blank_before_the_encoding_is_said(
    manager, root, erase, search, content, codec
):
    name = {"cp1250": "Žofie", "gb18030": "王小明", "cp932": "山田"}[codec]
    rows = ["email,name", f"ann@a.example,{name}", f"bob@a.example,{name}", ""]
    asked(manager, root, "\n".join(rows).encode(codec))
    erase("ann@a.example")
    search()
    rows[1] = " " * len(rows[1].encode(codec))
    assert content().decode(codec).split("\n")[2:] == rows[2:]
    assert "ann" not in content().decode(codec)


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-be"])
def test_in_json_lines_the_line_becomes_blank(manager, root, erase, search, content, codec):
    ann = '{"email": "\\u0041nn@a.example", "fields": {"note": "ü"}}'
    lines = ['{"email": "bob@a.example", "fields": {"by": "ann@a.example"}}', ann, ""]
    path = keep(manager, root, "\n".join(lines).encode(codec), "people.jsonl")
    erase("ann@a.example")
    search()
    size = len(ann.encode(codec))
    assert content().decode(codec).split("\n") == [lines[0], " " * (size // len(" ".encode(codec))), ""]
    assert "Of 1 row, <b>1</b> brings a new" in manager.get(path).text


def test_whom_an_equal_key_names_is_found(manager, root, erase, search, content):
    ann = '{"email": "ann@a.example", "email": "bob@a.example"}'
    keep(manager, root, f'{ann}\n{{"email": "cy@a.example"}}\n', "people.jsonl")
    erase("ann@a.example")
    search()
    assert content().decode() == f'{" " * len(ann)}\n{{"email": "cy@a.example"}}\n'


def test_while_no_column_is_known_to_have_addresses_any_cell_may_be_one(
    manager, root, erase, search, content
):
    keep(manager, root, "wer;was\nann@a.example;1\nbob@a.example;2\n", "unknown.csv")
    erase("ann@a.example")
    search()
    assert content() == b"wer;was\n" + b";" * len("ann@a.example;1") + b"\nbob@a.example;2\n"


@pytest.mark.parametrize(
    "cell", ["ann%40a.example", "to ann=40a.example", "'ann@a.example'", "ann&#64;a.example"]
)
def test_an_address_in_an_encoding_is_found(manager, root, erase, search, content, cell):
    keep(manager, root, f"email,n\n{cell},1\nbob@a.example,2\n")
    erase("ann@a.example")
    search()
    assert content() == b"email,n\n" + b"," * len(f"{cell},1") + b"\nbob@a.example,2\n"


def test_a_malformed_address_that_is_erased_goes_too(manager, root, erase, search, content):
    keep(manager, root, "email,n\nann@@a,1\nbob@a.example,2\n")
    erase("ann@@a")
    search()
    assert content() == b"email,n\n,,,,,,,,\nbob@a.example,2\n"


def sheets(*found):
    book = openpyxl.Workbook()
    for row in (["email"], ["bob@a.example"]):
        book.worksheets[0].append(row)
    for cell in found:
        book.create_sheet().append([cell])
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


@pytest.mark.parametrize(
    ("name", "sent", "said"),
    [
        ("people.xlsx", sheets("x", "Ann@a.example"), "Somebody in this file was erased"),
        ("people.json", json.dumps([{"email": "ann@a.example"}]), "Somebody in this file was erased"),
        ("people.xlsx", sheets()[:400], "could not be searched"),
        ("people.csv", 'email\n"ann@a.example', ""),
        ("people.pdf", b"%PDF-1.4 ann@a.example", "could not be searched"),
    ],
)
def test_a_file_with_somebody_whose_row_cannot_be_made_blank_is_deleted(
    site, manager, root, instance, erase, search, name, sent, said
):
    path = keep(manager, root, sent, name)
    work(manager)
    erase("ann@a.example")
    search()
    shown = manager.get(path).text
    assert said in shown
    assert waiting_files(site, instance) == (0 if said else 1)
    if said:
        refused = manager.post(path, start="1", headed="1", consent="subscribed")
        assert refused.status_code == 422
        manager.post(path, look="1", headed="1", consent="subscribed")
        work(manager)
        assert said in manager.get(path).text
        assert manager.post(path, leave="1").status_code == 303
        assert file_uploads.list_waiting(site) == []


def test_a_workbook_without_anybody_erased_stays(site, manager, root, instance, erase, search):
    path = keep(manager, root, sheets("x"), "people.xlsx")
    work(manager)
    erase("ann@a.example")
    search()
    assert waiting_files(site, instance) == 1
    assert "Of 1 row" in manager.get(path).text


def test_rows_over_the_edge_of_a_piece_become_blank(site, manager, root, erase, search, content, monkeypatch):
    monkeypatch.setattr(file_pieces, "PIECE_BYTES", 16)
    monkeypatch.setattr(file_uploads, "COPY_BYTES", 16)
    monkeypatch.setattr(file_searches, "BATCH_ROWS", 2)
    keep(manager, root, PEOPLE)
    erase("ann@a.example")
    search()
    assert content() == WITHOUT_ANN.encode()


def test_an_import_that_begins_meanwhile_goes_on_and_the_file_goes_with_it(
    site, manager, root, instance, erase, monkeypatch
):
    monkeypatch.setattr(file_searches, "BATCH_ROWS", 1)
    path = keep(manager, root, PEOPLE)
    erase("ann@a.example")

    def begun_after_a_row(*arguments):
        for number, record in enumerate(kept_records(ChildProcess(), *arguments)):
            if number == 1:
                [upload] = file_uploads.list_waiting(site)
                file_uploads.begin_import(site, instance, upload, COMMAND_LINE)
            yield record

    do_files(instance, open_records=begun_after_a_row)
    work(manager)
    site_lane.drain(site.id, 30)
    assert subscribers.find(site, email="ann@a.example") is None
    assert subscribers.find(site, email="cy@a.example")
    assert waiting_files(site, instance) == 0
    assert manager.get(path).status_code == 303


@pytest.mark.of_sqlite
def test_the_log_has_nothing_of_them_if_another_process_emptied_it_before(
    site, manager, root, instance, erase
):
    keep(manager, root, PEOPLE)
    work(manager)
    erase("ann@a.example")

    def emptied_meanwhile(*arguments):
        assert erased_pages.run(instance)
        with database.write(site.id):
            database.execute("UPDATE file_uploads SET rows_done = 1 WHERE site_id = ?", (site.id,))
        assert holds("Ann Lee")
        yield from kept_records(ChildProcess(), *arguments)

    def holds(text):
        return any(text.encode() in file.read_bytes() for file in instance.glob("audience.db*"))

    do_files(instance, open_records=emptied_meanwhile)
    assert not holds("Ann Lee")


def test_who_is_erased_during_a_search_is_searched_for_next(manager, root, instance, erase, search, content):
    keep(manager, root, PEOPLE)
    erase("ann@a.example")

    searches = []

    def erased_meanwhile(*arguments):
        searches.append(arguments)
        for number, record in enumerate(kept_records(ChildProcess(), *arguments)):
            if number == 3 and len(searches) == 1:
                erase("bob@a.example")
            yield record

    do_files(instance, open_records=erased_meanwhile)
    assert b"ann@a.example" not in content().lower()
    assert b"bob@a.example" not in content()
    assert len(searches) == 2


def test_a_worker_that_is_killed_leaves_the_search_to_another(
    manager, root, instance, erase, search, content, monkeypatch
):
    keep(manager, root, PEOPLE)
    erase("ann@a.example")

    def killed(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        do_files(instance, open_records=killed)
    search()
    assert content() == PEOPLE.encode()  # the lease has not ended
    later = clock.uptime_ms() + jobs.LONG.lease_ms + 1
    monkeypatch.setattr(leases, "now", lambda _: later)
    search()
    assert content() == WITHOUT_ANN.encode()


def test_an_import_that_failed_begins_anew_after_a_row_has_become_blank(
    site, manager, root, instance, erase, search, monkeypatch
):
    monkeypatch.setattr(file_imports, "BATCH_ROWS", 1)
    path = keep(manager, root, PEOPLE)
    manager.post(path, start="1", headed="1", consent="subscribed")

    class Fails:
        columns = ()

        def __init__(self, *arguments):
            self.file = kept_file_of(*arguments)

        def rows(self, check):
            with closing(self.file.rows(check)) as rows:
                yield next(rows)
                yield next(rows)
                raise LookupError

    work(manager, Fails)
    with database.session():
        assert database.row("SELECT count(*) FROM imports WHERE status = 'receiving'") == (1,)
    erase("bob@a.example")
    search()
    read(manager, path)
    site_lane.drain(site.id, 30)
    assert subscribers.find(site, email="ann@a.example")
    assert subscribers.find(site, email="cy@a.example")
    assert subscribers.find(site, email="bob@a.example") is None


def kept_file_of(*arguments):
    from schemas.file_imports import kept_file

    return kept_file(ChildProcess(), *arguments)


def test_a_file_that_was_sent_later_is_as_it_was_sent(manager, root, erase, search, content):
    erase("ann@a.example")
    path = keep(manager, root, PEOPLE)
    search()
    assert content() == PEOPLE.encode()
    work(manager)
    assert "Erased people stay away: 1." in manager.get(path).text
