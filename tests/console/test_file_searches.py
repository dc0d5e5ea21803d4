"""A file that waits is deleted if it has somebody who is erased; its page says so, and keeps the answers."""

import io
import json
import zipfile
from contextlib import closing, suppress
from functools import partial

import openpyxl
import pytest
from openpyxl.comments import Comment

from audience import clock, jobs
from audience.access import sessions
from audience.access.audit_log import COMMAND_LINE
from audience.erasures import erasures
from audience.imports import file_imports, file_searches, file_tasks, file_uploads
from audience.operations import site_lane
from audience.subscribers import subscribers
from schemas.file_imports import look_through
from schemas.file_texts import kept_texts
from storage import database, leases
from storage.instance import erased_pages
from tests.console.test_file_uploads import asked, folder, keep, read, root, work
from tests.console.test_subscriber_list import add
from tests.file_jobs import do_files
from workers.child_process import ChildProcess

__all__ = ["folder", "root"]

PEOPLE = 'email,Vorname\r\nbob@a.example,Bob\r\n"Ann Lee <Ann@a.example>","An\r\nna"\r\ncy@a.example,Cy\r\n'
NOBODY = "email\nbob@a.example\n"
NAMED, UNREADABLE = "Somebody in this file was erased", "could not be searched"


@pytest.fixture
def instance(app):
    return app.extensions["audience"].settings.instance


@pytest.fixture
def erase(site, instance):
    """Erases somebody who is there."""

    def erase(email="ann@a.example"):
        add(site, {"email": email})
        assert erasures.erase(site, instance, email)

    return erase


@pytest.fixture
def search(instance):
    """What a worker does with files that are to be searched."""
    return partial(do_files, instance)


def waiting_files(site, instance):
    """How many are kept, in the folder or in the database."""
    with database.session():
        pieces = database.row("SELECT count(DISTINCT file) FROM file_pieces WHERE site_id = ?", (site.id,))[0]
    return pieces + len(list((instance / file_uploads.FOLDER).glob("*")))


def sheets(*found, hidden=False):
    book = openpyxl.Workbook()
    for row in (["email"], ["bob@a.example"]):
        book.worksheets[0].append(row)
    for cell in found:
        book.create_sheet().append([cell])
    book.worksheets[-1].row_dimensions[1].hidden = hidden
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


def book(change):
    made = openpyxl.Workbook()
    for row in (["email", "n"], ["bob@a.example", 1]):
        made.worksheets[0].append(row)
    change(made.worksheets[0])
    kept = io.BytesIO()
    made.save(kept)
    return kept.getvalue()


def refer(sheet):
    sheet["A2"].hyperlink = "mailto:ann@a.example"
    sheet["A2"].value = "bob@a.example"


def rewritten(content, old=b"", new=b"", **parts):
    """An archive with a text replaced in all parts, and with further ones."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(out, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name).replace(old, new) if old else before.read(name))
        for name, text in parts.items():
            after.writestr(name, text)
    return out.getvalue()


def archive(text):
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as made:
        made.writestr("subscribed_members_export.csv", "Email Address\nbob@a.example\n")
        made.writestr("notes.txt", text)
    return kept.getvalue()


FOUND = {
    "UTF-8 with a mark": ("people.csv", PEOPLE.encode("utf-8-sig")),
    "UTF-16": ("people.csv", PEOPLE.encode("utf-16-le")),
    "columns that are not known": ("people.csv", "wer;was\nann@a.example;1\n"),
    "a cell of somebody else": ("people.csv", "email,by\nbob@a.example,ann@a.example\n"),
    "no row but the header": ("people.csv", "email,ann@a.example\n"),
    "between bars": ("people.csv", "email|name\nann@a.example|Ann\n"),
    "a percent sign": ("people.csv", "email\nann%40a.example\n"),
    "quoted-printable": ("people.csv", "email\nto ann=40a.example\n"),
    "HTML": ("people.csv", "email\nann&#64;a.example\n"),
    "quotation marks": ("people.csv", "email\n'ann@a.example'\n"),
    "a sentence": ("people.csv", "email,note\nbob@a.example,see ann@a.example.\n"),
    "a full-width comma": ("people.csv", "email,note\nbob@a.example,ann@a.example\uff0cBob\n"),
    "over the edge of a piece": ("people.csv", f"email,note\nbob@a.example,{'x ' * 32_740}ann@a.example\n"),
    "JSON": ("people.json", json.dumps([{"email": "ann@a.example"}])),
    "JSON lines with escapes": ("people.jsonl", '{"email": "\\u0041nn@a.example"}\n'),
    "an equal key": ("people.jsonl", '{"email": "ann@a.example", "email": "bob@a.example"}\n'),
    "another sheet": ("people.xlsx", sheets("x", "Ann@a.example")),
    "a hidden row": ("people.xlsx", sheets("Ann@a.example", hidden=True)),
    "an archive": ("people.zip", archive("Ann@a.example")),
} | {
    f"{what} of a workbook": ("people.xlsx", content)
    for what, content in {
        "a comment": book(lambda sheet: setattr(sheet["A2"], "comment", Comment("was ann@a.example", "x"))),
        "an author": book(lambda sheet: setattr(sheet["A2"], "comment", Comment("was", "ann@a.example"))),
        "a hyperlink": book(refer),
        "the creator": book(lambda sheet: setattr(sheet.parent.properties, "creator", "ann@a.example")),
        "a name": book(lambda sheet: sheet.parent.create_sheet("ann@a.example")),
        "a header": book(lambda sheet: setattr(sheet.oddHeader.left, "text", "ann@a.example")),
        "a formula": book(lambda sheet: sheet.append(['=HYPERLINK("mailto:ann@a.example")'])),
        "a part": rewritten(sheets("x"), other="<a>ann&#64;a.example</a>"),
        "formatted text": rewritten(
            sheets("x"),
            b"<t>x</t>",
            b"<r><t>ann@</t></r><r><rPr><b/></rPr><t xml:space='preserve'>a.example</t></r>",
        ),
    }.items()
}
UNSEARCHED = {
    "an archive of another encoding": ("people.zip", archive("\u017dofie".encode("cp1250"))),
    "a part in UTF-16": ("people.xlsx", rewritten(sheets("x"), other="ann@a.example".encode("utf-16-le"))),
    "a workbook in an archive": ("people.zip", archive(sheets("Ann@a.example"))),
    "half a workbook": ("people.xlsx", sheets()[:400]),
    "a PDF": ("people.pdf", b"%PDF-1.4"),
    "an encoding that is not known": (
        "people.csv",
        "email,n\nbob@a.example,\u017dofie\n".encode("cp1250"),
    ),
}
OTHERS = {
    "other people": ("people.csv", "email\njoann@a.example\nann@a.example.org\nann@aa.example\nann\n"),
    "a workbook": ("people.xlsx", sheets("x")),
    "an archive": ("people.zip", archive("x")),
    "JSON": ("people.json", json.dumps([{"email": "bob@a.example", "fields": {"u": "\\"}}])),
}


@pytest.mark.parametrize(
    ("name", "sent", "said"),
    [
        *(pytest.param(*file, NAMED, id=what) for what, file in FOUND.items()),
        *(pytest.param(*file, UNREADABLE, id=what) for what, file in UNSEARCHED.items()),
        *(pytest.param(*file, "", id=f"not {what}") for what, file in OTHERS.items()),
    ],
)
def test_a_file_with_somebody_erased_is_deleted(
    site, manager, root, instance, erase, search, name, sent, said
):
    path = asked(manager, root, sent, name)
    work(manager)
    erase()
    search()
    assert waiting_files(site, instance) == (0 if said else 1)
    shown = manager.get(path).text
    assert (NAMED in shown, UNREADABLE in shown) == (said == NAMED, said == UNREADABLE)
    assert "ann@a" not in shown


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("domain", ["b\u00fccher.example", "xn--bcher-kva.example", "B\u00dcCHER.example"])
def test_both_forms_of_a_domain_are_found(site, manager, root, instance, erase, search, codec, domain):
    sent = f"email,name\nann@{domain},\u00c4nn\n".encode(codec)
    answers = {"consent": "subscribed"} | ({"ask-encoding": codec} if codec == "cp1252" else {})
    path = keep(manager, root, sent, **answers)
    erase("ann@b\u00fccher.example")
    search()
    assert NAMED in manager.get(path).text
    assert waiting_files(site, instance) == 0


@pytest.mark.parametrize(
    "address", ["o'ann@a.example", "ann`lee@a.example", "ann|lee@a.example", "\u00e4nn@a.example"]
)
def test_an_address_with_marks_in_it_is_found(site, manager, root, instance, erase, search, address):
    escaped = address.replace('"', '""')
    keep(manager, root, f'email\n"{escaped}"\n')
    erase(address)
    search()
    assert waiting_files(site, instance) == 0


def test_the_page_keeps_the_answers_and_takes_the_file_again(site, manager, root, instance, erase, search):
    path = keep(manager, root, PEOPLE, consent="subscribed", tag="fair, north")
    work(manager)
    erase()
    search()
    assert manager.post(path, start="1", headed="1", consent="subscribed").status_code == 422
    assert "deleted" in manager.get(f"{root}/new").text
    fields = {"csrf": sessions.csrf_token(manager.token), "file": (io.BytesIO(PEOPLE.encode()), "people.csv")}
    sent = manager.http.post(
        f"/console{path}/again", data=fields, base_url=manager.origin, headers={"Origin": manager.origin}
    )
    assert sent.status_code == 303
    again = sent.headers["Location"].removeprefix("/console")
    work(manager)
    shown = manager.get(again).text
    assert 'value="fair, north"' in shown
    assert "Import 3 rows" in shown
    assert "Not imported, because these people were erased: 1." in shown
    assert len(file_uploads.list_waiting(site)) == 1
    read(manager, again, tag="fair, north")
    site_lane.drain(site.id, 30)
    assert [bool(subscribers.find(site, email=f"{name}@a.example")) for name in ("ann", "bob", "cy")] == [
        False, True, True,
    ]  # fmt: skip


def test_a_file_that_was_deleted_can_be_discarded(site, manager, root, erase, search):
    path = keep(manager, root, PEOPLE)
    erase()
    search()
    assert manager.post(path, leave="1").status_code == 303
    assert file_uploads.list_waiting(site) == []


def test_for_an_address_that_nobody_had_no_file_is_searched(site, manager, root, instance, search):
    keep(manager, root, PEOPLE)
    assert not erasures.erase(site, instance, "ann@a.example")
    search()
    assert waiting_files(site, instance) == 1


def test_a_file_that_was_sent_after_an_erasure_stays_also_after_the_next(
    site, manager, root, instance, erase, search
):
    erase()
    path = keep(manager, root, PEOPLE)
    search()
    erase("eve@a.example")
    search()
    assert waiting_files(site, instance) == 1
    assert "Not imported, because these people were erased: 1." in manager.get(path).text


def test_an_import_that_begins_meanwhile_goes_on_and_the_file_goes_with_it(
    site, manager, root, instance, erase
):
    path = keep(manager, root, PEOPLE)
    erase()

    def begun_meanwhile(*arguments):
        [upload] = file_uploads.list_waiting(site)
        file_uploads.begin_import(site, instance, upload, COMMAND_LINE)
        yield from kept_texts(ChildProcess(), *arguments)

    do_files(instance, open_texts=begun_meanwhile)
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
    erase()

    def emptied_meanwhile(*arguments):
        assert erased_pages.run(instance)
        with database.write(site.id):
            database.execute("UPDATE file_uploads SET rows_done = 1 WHERE site_id = ?", (site.id,))
        assert holds("Ann Lee")
        yield from kept_texts(ChildProcess(), *arguments)

    def holds(text):
        return any(text.encode() in file.read_bytes() for file in instance.glob("audience.db*"))

    do_files(instance, open_texts=emptied_meanwhile)
    assert not holds("Ann Lee")


def test_who_is_erased_during_a_search_is_searched_for_next(site, manager, root, instance, erase):
    keep(manager, root, NOBODY)
    erase()
    searches = []

    def erased_meanwhile(*arguments):
        searches.append(arguments)
        yield from kept_texts(ChildProcess(), *arguments)
        if len(searches) == 1:
            erase("bob@a.example")

    do_files(instance, open_texts=erased_meanwhile)
    assert len(searches) == 2
    assert waiting_files(site, instance) == 0


def test_a_worker_that_is_killed_leaves_the_search_to_another(
    site, manager, root, instance, erase, search, monkeypatch
):
    keep(manager, root, PEOPLE)
    erase()

    def killed(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        do_files(instance, open_texts=killed)
    search()
    assert waiting_files(site, instance) == 1  # the lease has not ended
    later = clock.uptime_ms() + jobs.LONG.lease_ms + 1
    monkeypatch.setattr(leases, "now", lambda _: later)
    search()
    assert waiting_files(site, instance) == 0


@pytest.mark.parametrize(("fault", "left"), [(LookupError, 0), (OSError, 1)])
def test_a_file_that_breaks_the_search_is_deleted_unless_the_machine_did(
    site, manager, root, instance, erase, fault, left
):
    keep(manager, root, NOBODY)
    erase()

    def broken(*_):
        raise fault

    with suppress(OSError):
        do_files(instance, open_texts=broken)
    assert waiting_files(site, instance) == left


def test_a_search_that_takes_long_holds_its_claim(site, manager, root, erase, instance, monkeypatch):
    monkeypatch.setattr(file_searches, "BATCH_TEXTS", 1)
    keep(manager, root, PEOPLE.replace("Ann@a.example", "eve@a.example"))
    erase()

    def stolen(*arguments):
        with database.write(site.id):
            database.execute("UPDATE jobs SET claim = 'another' WHERE site_id = ?", (site.id,))
        yield from kept_texts(ChildProcess(), *arguments)
        pytest.fail("the search went on")

    kind = file_tasks.kind(instance, partial(look_through, ChildProcess()), stolen)
    assert not jobs.work([kind], site.id, 30)


def test_of_an_import_that_failed_nothing_is_left_with_the_file(
    site, manager, root, instance, erase, search, monkeypatch
):
    monkeypatch.setattr(file_imports, "BATCH_ROWS", 1)
    path = keep(manager, root, PEOPLE)
    manager.post(path, start="1", headed="1", consent="subscribed")

    class Fails:
        columns = ()

        def __init__(self, *arguments):
            self.file = look_through(ChildProcess(), *arguments)

        def rows(self, check):
            with closing(self.file.rows(check)) as rows:
                yield next(rows)
                yield next(rows)
                raise LookupError

    work(manager, Fails)
    with database.session():
        assert database.row("SELECT count(*) FROM imports WHERE status = 'receiving'") == (1,)
    erase()
    search()
    with database.session():
        assert database.row("SELECT count(*) FROM imports WHERE status = 'receiving'") == (0,)
    assert waiting_files(site, instance) == 0
