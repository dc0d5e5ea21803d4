"""Who in a file may be written to, asked on its page; and people of a file who had unsubscribed before."""

import html
import re
from pathlib import Path

import pytest

from audience.erasures import erasures
from audience.subscribers import commands, subscribers
from schemas.formats import files
from schemas.formats.readings import Reading
from schemas.formats.reasons import Because
from schemas.formats.tables import open_table
from tests.console.test_file_uploads import PEOPLE, asked, keep, person, root, start

__all__ = ["root"]

PEERS = Path(__file__).parents[1] / "schemas" / "data" / "peers"
ASKS = "Who in this file may be written to?"


def test_who_left_stays_away_and_who_was_erased(site, manager, root, tmp_path):
    start(manager, keep(manager, root, PEOPLE), site)
    commands.run(site, [{"command": "unsubscribe", "email": "ann@a.example"}])
    erasures.erase(site, tmp_path, email="bob@a.example")
    path = keep(manager, root, PEOPLE.replace(",4", ",5"))
    shown = manager.get(path).text
    assert "Not imported, because these people were erased: 1." in shown
    assert "People who unsubscribed here stay unsubscribed: 1." in shown
    start(manager, path, site)
    assert person(site, "ann@a.example").unsubscribed_at is not None
    assert subscribers.find(site, email="bob@a.example") is None


def test_nothing_is_chosen_and_nothing_is_imported_until_it_is(site, manager, root):
    path = asked(manager, root, "email,plan\nann@a.example,pro\n")
    shown = manager.get(path).text
    assert ASKS in shown
    assert shown.count('name="consent" value="') == 4
    assert "Nobody yet" in shown
    assert "checked" not in shown.partition('class="ask"')[2].partition("</fieldset>")[0]
    assert '<button class="go" disabled>Import</button>' in shown
    assert "field: plan" in shown
    refused = manager.post(path, start="1", headed="1")
    assert refused.status_code == 422
    assert subscribers.find(site, email="ann@a.example") is None


@pytest.mark.parametrize(
    ("answer", "known_in", "new_in"),
    [("subscribed", True, True), ("unsubscribed", False, False), ("unconfirmed", True, False)],
)
def test_an_answer_for_everyone_is_shown_and_imported(site, manager, root, answer, known_in, new_in):
    start(manager, keep(manager, root, "email\nann@a.example\n"), site)
    path = keep(manager, root, "email\nann@a.example\nbob@a.example\n", consent=answer)
    shown = manager.get(path).text
    assert f'value="{answer}" checked' in shown
    start(manager, path, site, consent=answer)
    found = [person(site, f"{name}@a.example").unsubscribed_at is None for name in ("ann", "bob")]
    assert found == [known_in, new_in]


def test_each_value_of_a_column_is_told(site, manager, root):
    text = "email,state\nann@a.example,ok\nbob@a.example,gone\ncy@a.example,\n"
    path = asked(manager, root, text)
    manager.post(path, look="1", headed="1", consent="column", consent_column="2")
    shown = manager.get(path).text
    assert shown.count("Choose what it means") == 3
    assert "3 rows are still to answer" in shown
    told = {"value-1": "ok", "state-1": "subscribed", "value-2": "gone", "state-2": "unsubscribed",
            "value-3": ""}  # fmt: skip
    column = {"consent": "column", "consent_column": "2", "told_column": "2"}
    manager.post(path, look="1", headed="1", **column, **told)
    shown = manager.get(path).text
    assert shown.count("Choose what it means") == 1
    assert "1 row is still to answer" in shown
    assert '<button class="go" disabled>Import</button>' in shown
    start(manager, path, site, **column, **told, **{"state-3": "unconfirmed"})
    found = [person(site, f"{name}@a.example").unsubscribed_at is None for name in ("ann", "bob", "cy")]
    assert found == [True, False, False]


def test_what_was_told_of_one_column_is_nothing_of_another(manager, root):
    path = asked(manager, root, "email,a,b\nann@a.example,x,x\n")
    fields = {"consent": "column", "consent_column": "3", "told_column": "2",
              "value-1": "x", "state-1": "subscribed"}  # fmt: skip
    manager.post(path, look="1", headed="1", **fields)
    assert "Choose what it means" in manager.get(path).text


def test_a_row_that_says_otherwise_is_named_with_the_way_out(site, manager, root):
    path = keep(manager, root, "email,note\nann@a.example,x\nbob@a.example,unsubscribed\n")
    shown = manager.get(path).text
    assert "Row 3 of <bdi>note</bdi> says that somebody has unsubscribed" in shown
    assert manager.post(path, start="1", headed="1", consent="subscribed").status_code == 422
    start(manager, path, site, **{"ignored-new": "note"})
    assert person(site, "bob@a.example").unsubscribed_at is None


def test_a_row_that_says_otherwise_than_its_column_is_named_alike(site, manager, root):
    fields = {"consent": "column", "consent_column": "2", "told_column": "2", "value-1": "in",
              "state-1": "subscribed"}  # fmt: skip
    path = keep(manager, root, "email,state,opted out\nann@a.example,in,yes\n", **fields)
    assert "Row 2 of <bdi>opted out</bdi> says that somebody has unsubscribed" in manager.get(path).text
    assert "Import such rows as a file of their own" in manager.get(path).text
    start(manager, path, site, **fields, **{"ignored-new": "opted out"})
    assert person(site, "ann@a.example").unsubscribed_at is None


def test_a_long_value_with_line_breaks_is_told_as_a_browser_sends_it(site, manager, root):
    long = "I agree to get the newsletter.\nI have read the privacy policy. " * 5
    path = asked(manager, root, f'email,consent\nann@a.example,"{long}"\nbob@a.example,\n')
    fields = {"consent": "column", "consent_column": "2"}
    manager.post(path, look="1", headed="1", **fields)
    assert html.escape(long.strip()) in manager.get(path).text
    told = {"told_column": "2", "value-1": long.strip().replace("\n", "\r\n"), "state-1": "subscribed",
            "value-2": "", "state-2": "unsubscribed"}  # fmt: skip
    start(manager, path, site, **fields, **told)
    found = [person(site, f"{name}@a.example").unsubscribed_at is None for name in ("ann", "bob")]
    assert found == [True, False]


def test_a_file_that_answers_by_itself(site, manager, root):
    header = "id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at"
    text = f"{header}\n1,ann@a.example,Ann,,true,,,\n2,bob@a.example,Bob,,false,,,\n"
    path = asked(manager, root, text)
    shown = manager.get(path).text
    assert "This is an export from Ghost." in shown
    assert "Answer it yourself instead" in shown
    assert "checked" not in shown.partition('class="ask"')[2].partition("</fieldset>")[0]
    start(manager, path, site, consent="")
    assert person(site, "ann@a.example").unsubscribed_at is None
    assert person(site, "bob@a.example").unsubscribed_at is not None


def column_of(shown, name):
    """What the page says of a column, in words."""
    row = shown.replace("<wbr>", "").partition(f"<bdi>{name}</bdi></th>")[2].partition("</tr>")[0]
    chosen = re.findall(r'<option value="">([^<]*)<', row)[0]
    return chosen, re.findall(r'<span class="dot[^"]*">([^<]*)<', row)[0]


def checked(shown):
    return re.findall(r'name="(?:consent|state-\d)" value="(\w+)" checked', shown)


def test_a_programs_columns_are_read_alike_on_the_page_and_by_the_command(site, manager, root, tmp_path):
    file = next(PEERS.glob("unsubscribed_email*"))
    shown = manager.get(asked(manager, root, file.read_text(), file.name)).text
    assert "This file is from <b>Mailchimp</b>" in shown
    assert column_of(shown, "UNSUB_TIME") == ("consent", "Mailchimp exports it under this name.")
    assert column_of(shown, "CONFIRM_TIME") == ("field: CONFIRM_TIME", Because.KEPT)
    with file.open("rb") as binary:
        plan = files.plan_columns(open_table(binary, "csv", Reading()), Reading())
    for column in plan.columns:
        assert column_of(shown, column.name)[1] == column.reason, column.name


def test_what_a_program_does_not_say_is_all_that_is_left_to_answer(site, manager, root):
    file = next(PEERS.glob("unsubscribed_email*"))
    path = asked(manager, root, file.read_text(), file.name)
    shown = manager.get(path).text
    assert checked(shown) == ["column", "unsubscribed", "subscribed"]
    assert "Check what is suggested, then use this answer" in shown
    assert '<button class="go" disabled>Import</button>' in shown
    told = {"consent": "column", "consent_column": "16", "told_column": "16", "value-1": "date",
            "state-1": "unsubscribed", "value-2": "", "state-2": "subscribed"}  # fmt: skip
    start(manager, path, site, **told)
    assert person(site, "ola@example.org").unsubscribed_at == 1_706_933_106_000
    assert person(site, "uma@example.org").unsubscribed_at is None


def test_words_suggest_a_column_and_its_values_which_count_once_they_are_sent(site, manager, root):
    path = asked(manager, root, "email,newsletter_status\nann@a.example,subscribed\nbob@a.example,unknown\n")
    shown = manager.get(path).text
    assert '<option value="2" selected>newsletter_status</option>' in shown
    assert checked(shown) == []
    column = {"consent": "column", "consent_column": "2"}
    manager.post(path, look="1", headed="1", **column)
    shown = manager.get(path).text
    assert checked(shown) == ["column", "subscribed"]
    assert '<button class="go" disabled>Import</button>' in shown


def test_a_program_that_a_files_columns_suggest_is_filled_in(site, manager, root):
    header = "id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,mine"
    path = asked(manager, root, f"{header}\n1,ann@a.example,Ann,,false,,,,x\n")
    shown = manager.get(path).text
    assert '<option value="ghost" selected>Ghost</option>' in shown
    assert "This may be an export from Ghost." in shown
    manager.post(path, look="1", headed="1", **{"from": "ghost"})
    assert "Its columns say who may be written to." in manager.get(path).text


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        ("spring-unsubscribed.csv", True),
        ("Abgemeldet 2024.csv", True),
        ("bounce house customers.csv", False),
        ("cleaned_email_audience_export_1.csv", True),
    ],
)
def test_the_name_of_a_file_only_asks(manager, root, name, asks):
    shown = manager.get(asked(manager, root, "email\nann@a.example\n", name)).text
    assert ("Did all of them unsubscribe?" in shown) == asks
    assert "Nothing is chosen yet" in shown


def test_all_questions_are_on_the_page(site, manager, root):
    path = asked(manager, root, "email,created_at,command\nann@a.example,01/02/2023,Merge\n")
    shown = manager.get(path).text
    assert 'name="ask-dates" value="dmy"' in shown
    assert 'name="ask-map[3]" value="ignore"' in shown
    start(manager, path, site, **{"ask-dates": "dmy", "ask-map[3]": "ignore"})
    assert person(site, "ann@a.example").created_at == 1_675_209_600_000


def test_what_was_chosen_for_a_column_that_is_not_there(manager, root):
    path = keep(manager, root, "email,x\nann@a.example,1\n")
    for chosen in ({"column-9": "email"}, {"column-2": "field:"}):
        manager.post(path, look="1", headed="1", consent="subscribed", **chosen)
        shown = manager.get(path).text
        assert "This file cannot be imported yet" in shown
        assert "map" not in shown.partition("This file cannot be imported yet")[2].partition("</p>")[0]


def test_json_by_the_name_of_csv_is_told_in_words_of_the_page(manager, root):
    shown = manager.get(keep(manager, root, '[{"email": "ann@a.example"}]')).text
    assert "The file is JSON, not CSV: give it a name that ends in .json, and send it again." in shown
    assert "Content-Type" not in shown


def test_what_would_happen_is_counted_before_and_the_answer_is_kept(site, owner, manager, root):
    start(manager, keep(manager, root, "email\nann@a.example\n"), site)
    text = "email\nann@a.example\nbob@a.example\n"
    path = keep(manager, root, text, consent="unsubscribed")
    shown = manager.get(path).text
    assert "1 existing subscriber would be unsubscribed, 1 added as unsubscribed." in shown
    assert "This file was imported" not in shown
    page = manager.get(start(manager, path, site, consent="unsubscribed")).text
    assert "nobody may be written to, answered by " in page
    again = manager.get(keep(manager, root, text, consent="unsubscribed")).text
    assert "This file was imported" in again
    assert ">import 2</a>" in again
    history = manager.get(f"/sites/{site.uuid}/subscribers/{person(site, 'bob@a.example').uuid}").text
    assert "by import 2, people.csv, answered by " in history
    assert ": nobody may be written to" in history
    assert "nobody may be written to" in owner.get(f"/sites/{site.uuid}/audit-log").text
