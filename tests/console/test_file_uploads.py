"""Importing a file by hand: sent, understood, judged, started, followed."""

import io
import json
import os
import re

import pytest

from audience import jobs
from audience.access import audit_log, sessions
from audience.clock import HOUR_MS
from audience.console.file_forms import BESIDE
from audience.imports import file_uploads, imports
from audience.operations import site_lane
from audience.subscribers import subscribers
from tests.console.browser import ORIGIN, signed_in
from tests.file_jobs import do_files

PEOPLE = "E-mail,Vorname,Orders\nann@a.example,Ann,4\nbob@a.example,Bob,\nnobody,Cy,1\n"


@pytest.fixture
def root(site):
    return f"/sites/{site.uuid}/imports"


@pytest.fixture
def folder(app):
    return app.extensions["audience"].settings.instance / file_uploads.FOLDER


def test_the_page_says_which_files_it_takes(manager, root):
    for path in (f"{root}/new", root.removesuffix("/imports")):
        shown = manager.get(path).text
        assert (
            "CSV (.csv, .tsv, .txt), Excel workbooks (.xlsx), JSON (.json, .jsonl, .ndjson) or zip ex"
            in shown
        )
        assert 'accept=".csv,.tsv,.txt,.xlsx,.json,.jsonl,.ndjson,.zip"' in shown


def person(site, email):
    found = subscribers.find(site, email=email)
    assert found is not None
    return found


def send(browser, root, text, name="people.csv"):
    """The answer to a file, as a browser without script sends it."""
    data = text if isinstance(text, bytes) else text.encode()
    fields = {"csrf": sessions.csrf_token(browser.token), "file": (io.BytesIO(data), name)}
    return browser.http.post(
        f"/console{root}/new", data=fields, base_url=browser.origin, headers={"Origin": browser.origin}
    )


def keep(browser, root, text, name="people.csv", **answer):
    """The path of the page that shows a file, in which everybody has agreed unless it is `answer`ed."""
    path = asked(browser, root, text, name)
    fields = {"look": "1", "headed": "1"} | (answer or {"consent": "subscribed"})
    assert browser.post(path, **fields).status_code == 303
    return path


def asked(browser, root, text, name="people.csv"):
    """The path of the page that asks about a file."""
    sent = send(browser, root, text, name)
    assert sent.status_code == 303, sent.text
    return sent.headers["Location"].removeprefix("/console")


def start(browser, path, site, **fields):
    """Starts an import, and does what a worker does; the path of its page."""
    followed = read(browser, path, **fields)
    site_lane.drain(site.id, 30)
    return followed


def read(browser, path, **fields):
    """Starts an import, whose rows a worker reads; the path of its page."""
    sent = browser.post(path, **{"start": "1", "headed": "1", "consent": "subscribed"} | fields)
    assert sent.status_code == 303, sent.text
    assert "Reading the file" in browser.get(path).text
    work(browser)
    return browser.get(path).headers["Location"].removeprefix("/console")


def work(browser, open_file=None):
    """What a worker does with files."""
    do_files(browser.http.application.extensions["audience"].settings.instance, open_file)


@pytest.mark.of_sqlite
def test_a_file_is_sent_understood_and_imported(site, manager, root, folder):
    assert manager.get(f"{root}/new").status_code == 200
    path = keep(manager, root, PEOPLE)
    [file] = folder.iterdir()
    assert oct(file.stat().st_mode)[-3:] == "600"
    shown = manager.get(path).text
    for words in ("people.csv", "ann<wbr>@a<wbr>.example", "first name", "field: Orders", "Vorname"):
        assert words in shown
    assert re.search(r"Of 3 rows, <b>2</b> would add a subscriber", shown)
    assert "Import 2 rows" in shown
    assert "cannot be imported" not in shown
    followed = start(manager, path, site, tag="fair, north")
    found = person(site, "ann@a.example")
    assert (found.first_name, found.fields, len(found.tag_ids)) == ("Ann", {"Orders": 4}, 2)
    assert list(folder.iterdir()) == []
    assert manager.get(path).status_code == 303
    done = manager.get(followed).text
    assert "people.csv" in done
    assert "by meg@example.com" in done
    assert "2</b> added a subscriber" in done
    listed = manager.get(root).text
    assert ("people.csv" in listed, "meg@example.com" in listed) == (True, True)
    entry = audit_log.page(site)[0]
    assert (entry.actor, entry.act, entry.subject, entry.subjects) == (
        "meg@example.com", "file imported", "import 1", 3,
    )  # fmt: skip


def test_an_array_of_people_in_json_is_imported(site, manager, root):
    path = keep(manager, root, '[{"email": "ann@a.example", "first_name": "Ann"}]', "people.json")
    start(manager, path, site)
    assert person(site, "ann@a.example").first_name == "Ann"


def test_a_file_whose_first_row_is_a_person(manager, root):
    path = keep(manager, root, "jo@a.example,Jo\nka@a.example,Ka\n")
    shown = manager.get(path).text
    assert "Untick" in shown
    assert "header=0" not in shown
    manager.post(path, look="1", consent="subscribed", **{"column-1": "email", "column-2": "first_name"})
    assert "Of 2 rows, <b>2</b> would add a subscriber" in manager.get(path).text


def test_a_file_that_cannot_be_read_asks_for_nothing_but_another(manager, root):
    shown = manager.get(keep(manager, root, 'email\n"ann@a.example\n')).text
    assert "Correct the file, then send it again." in shown
    assert "Say what the columns mean" not in shown


def test_a_script_that_sends_a_file_learns_where_its_page_is(manager, root):
    fields = {"file": (io.BytesIO(PEOPLE.encode()), "people.csv")}
    headers = {"Origin": ORIGIN, "X-CSRF-Token": sessions.csrf_token(manager.token)}
    sent = manager.http.post(f"/console{root}/new", data=fields, base_url=ORIGIN, headers=headers)
    assert sent.json == {"page": f"/console{root}/files/1"}


def test_refused_rows_are_downloaded_and_can_be_imported_once_corrected(site, manager, root):
    followed = start(manager, keep(manager, root, PEOPLE), site)
    refused = manager.get(f"{followed}/refused.csv")
    assert refused.headers["Content-Disposition"] == 'attachment; filename="refused-1.csv"'
    lines = refused.text.splitlines()
    assert lines[0] == "E-mail,Vorname,Orders,row_number,error_code,error_message,code"
    assert re.match(r"sha256:\w+,Cy,1,4,invalid_email,", lines[1])
    corrected = re.sub(r"sha256:\w+", "cy@a.example", refused.text)
    start(manager, keep(manager, root, corrected), site)
    assert person(site, "cy@a.example").first_name == "Cy"


def test_refused_rows_are_shown_by_reason(site, manager, root):
    rows = "".join(f"nobody{number},Cy,1\n" for number in range(40))
    shown = manager.get(start(manager, keep(manager, root, f"{PEOPLE}{rows},Di,2\n"), site)).text
    assert "41 <code>invalid_email</code>, 1 <code>missing_email</code>" in shown
    assert re.search(r"4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 and 29 more", shown)


def test_a_column_is_given_another_meaning_and_left_out(site, manager, root):
    path = keep(manager, root, "Wer,Notiz,Stufe\nann@a.example,secret,pro\n")
    shown = manager.get(path).text
    assert "No column holds addresses: choose below which one does." in shown
    assert "ann<wbr>@a<wbr>.example" in shown
    assert "Not checked yet" in shown
    fields = {"column-1": "email", "column-2": "ignore", "column-3": "field:plan", "headed": "1"}
    assert manager.post(path, look="1", consent="subscribed", **fields).status_code == 303
    assert "Import 1 row<" in manager.get(path).text
    start(manager, path, site, **fields)
    assert person(site, "ann@a.example").fields == {"plan": "pro"}


def test_who_is_known_gets_only_what_they_lack(site, manager, root):
    subscribers.create(site, {"email": "ann@a.example", "first_name": "Anna"})
    path = keep(manager, root, "E-mail,Vorname,Town\nann@a.example,Ann,Oslo\n")
    assert "Subscribers you already have" in manager.get(path).text
    assert "get only values they lack" in start_choice(manager, path, "fill")
    start(manager, path, site, known="fill")
    ann = person(site, "ann@a.example")
    assert (ann.first_name, ann.fields) == ("Anna", {"Town": "Oslo"})


def start_choice(browser, path, known):
    """The page once the choice was made: it is still selected."""
    browser.post(path, look="1", headed="1", consent="subscribed", known=known)
    chosen = re.search(r'<option value="[a-z]+" selected>(get[^<]*)', browser.get(path).text)
    return chosen[1] if chosen else ""


def test_a_file_without_a_header(site, manager, root):
    path = keep(manager, root, "ann@a.example,Ann\nbob@a.example,Bob\n")
    manager.post(path, look="1", consent="subscribed", **{"column-1": "email", "column-2": "first_name"})
    assert "Of 2 rows, <b>2</b> would add" in manager.get(path).text


def test_the_order_of_dates_is_asked_for(site, manager, root):
    path = keep(manager, root, "email,created_at\nann@a.example,03/04/2025\n")
    shown = manager.get(path).text
    assert "may begin with the day or with the month, or have two digits for the year" in shown
    assert "(the first in row 2, 1 in all): choose below" in shown
    refused = manager.post(path, start="1", headed="1", consent="subscribed")
    assert (refused.status_code, "Nothing was imported" in refused.text) == (422, True)
    assert imports.newest(site) == []
    start(manager, path, site, dates="dmy")
    assert person(site, "ann@a.example").created_at == 1743638400000


def test_json_lines_and_what_is_no_file(site, manager, root):
    lines = json.dumps({"email": "ann@a.example", "fields": {"plan": "pro"}})
    assert "Import 1 row<" in manager.get(keep(manager, root, lines, "people.jsonl")).text
    for data, words in (
        (b"\x89PNG\r\n\x1a\n\0\0", "This file cannot be imported yet"),
        (b"\n\n", "This file cannot be imported yet"),
    ):
        path = keep(manager, root, data, "people.csv")
        shown = manager.get(path)
        assert (shown.status_code, words in shown.text) == (200, True)
        assert 'name="start"' not in shown.text
    assert send(manager, root, b"").status_code == 422
    assert manager.post(f"{root}/new").status_code == 422


def test_the_name_of_a_file_stays_a_name(manager, root):
    path = keep(manager, root, PEOPLE, "../../etc/<b>" + "x" * 400 + ".csv")
    shown = manager.get(path).text
    assert "<b>x" not in shown
    assert "etc" not in shown


@pytest.mark.of_sqlite
def test_a_file_is_left_and_forgotten_after_a_day(app, site, manager, root, folder, later):
    path = keep(manager, root, PEOPLE)
    assert "people.csv" in manager.get(f"{root}/new").text
    assert manager.post(path, leave="1").status_code == 303
    assert list(folder.iterdir()) == []
    assert manager.get(path).status_code == 404
    old = keep(manager, root, PEOPLE)
    file_uploads.sweep(folder.parent)
    assert len(list(folder.iterdir())) == 1
    [file] = folder.iterdir()
    os.utime(file, (0, 0))
    later(25 * HOUR_MS)
    file_uploads.sweep(folder.parent)
    assert list(folder.iterdir()) == []
    again = signed_in(app, "max@example.com", {site: "manager"})
    assert again.get(old).status_code == 404


def test_an_import_that_stopped_is_tried_again(site, manager, root, monkeypatch):
    path = keep(manager, root, PEOPLE)

    def fail(*_):
        raise ValueError

    followed = read(manager, path)
    monkeypatch.setattr(imports, "_apply", fail)
    monkeypatch.setattr(jobs, "RETRY_AFTER_MS", -1)
    for _ in range(jobs.MAX_FAILURES + 1):
        site_lane.drain(site.id, 1)
    monkeypatch.undo()
    assert "Try again" in manager.get(followed).text
    assert manager.post(f"{followed}/retry").status_code == 303
    assert audit_log.page(site)[0].act == "import continued"
    site_lane.drain(site.id, 30)
    assert subscribers.find(site, email="ann@a.example") is not None
    assert manager.post(f"{followed}/retry").status_code == 404


@pytest.mark.of_sqlite
def test_nobody_of_another_site_and_nobody_who_may_not_import(app, site, other_site, manager, root, folder):
    path = keep(manager, root, PEOPLE)
    stranger = signed_in(app, "eve@example.com", {other_site: "owner"})
    moved = path.replace(site.uuid, other_site.uuid)
    for each in (path, moved):
        assert stranger.get(each).status_code == 404
        assert stranger.post(each, start="1").status_code == 404
    support = signed_in(app, "sue@example.com", {site: "support"})
    assert send(support, root, PEOPLE).status_code == 404
    assert support.get(path).status_code == 404
    assert "Import a file" not in support.get(root).text
    assert len(list(folder.iterdir())) == 1


def test_a_file_without_the_token_of_the_session_is_not_kept(manager, root, folder):
    fields = {"csrf": "x", "file": (io.BytesIO(PEOPLE.encode()), "people.csv")}
    sent = manager.http.post(f"/console{root}/new", data=fields, base_url=ORIGIN, headers={"Origin": ORIGIN})
    assert sent.status_code == 403
    assert not folder.exists()


def test_every_sentence_about_parameters_has_words_of_its_own():
    """What the page says names no parameter of the API."""
    assert all("map[" not in words and "dates=" not in words for words in BESIDE.values())


def test_a_file_without_people_says_so_once(manager, root):
    shown = manager.get(keep(manager, root, "email,plan\n")).text
    assert shown.count("The file has no people.") == 1
    assert "no row in it" not in shown
