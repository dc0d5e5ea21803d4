"""A file that says who left, and people of a file who left before."""

import re

import pytest

from audience import commands, erasures, subscribers
from tests.console.test_file_uploads import PEOPLE, keep, person, root, start

__all__ = ["root"]


def test_who_left_stays_away_and_who_was_erased(site, manager, root, tmp_path):
    start(manager, keep(manager, root, PEOPLE), site)
    commands.run(site, [{"command": "unsubscribe", "email": "ann@a.example"}])
    erasures.erase(site, tmp_path, email="bob@a.example")
    path = keep(manager, root, PEOPLE.replace(",4", ",5"))
    shown = manager.get(path).text
    assert "Erased people stay away: 1." in shown
    assert "Who left stays away: 1." in shown
    start(manager, path, site)
    assert person(site, "ann@a.example").unsubscribed_at is not None
    assert subscribers.find(site, email="bob@a.example") is None


@pytest.mark.parametrize("name", ["cleaned_members.csv", "mc-nonsubscribed.csv", "Abgemeldete.csv"])
def test_a_file_of_people_who_left_is_known_by_its_name_or_its_columns(site, manager, root, name):
    path = keep(manager, root, "email\nann@a.example\n", name)
    assert 'name="left" value="1" checked' in manager.get(path).text
    renamed = manager.get(keep(manager, root, "Email Address,UNSUB_TIME\nann@a.example,\n")).text
    assert "say below that everyone in the file has left" in renamed
    assert "map[" not in renamed


def test_a_field_that_says_who_left_is_asked_about(site, manager, root):
    path = keep(manager, root, "email,foo\nann@a.example,gold\nbob@a.example,unsubscribed\n")
    shown = manager.get(path).text
    assert "choose consent for it, or a field" in shown
    assert "map[" not in shown


@pytest.mark.parametrize("header", ["Abmeldegrund", "status", "Unsubscribe reason"])
def test_a_field_that_may_say_who_left_is_pointed_out(manager, root, header):
    shown = manager.get(keep(manager, root, f"email,{header},Plan\nann@a.example,spring,pro\n")).text
    marked = re.findall(r'<span class="dot warn br">([^<]+)</span>', shown)
    assert len(marked) == 1
    assert "If it says who left, choose" in marked[0]


def test_a_file_without_the_column_that_says_who_left_is_pointed_out(manager, root):
    shown = manager.get(keep(manager, root, "uuid,email,name,attributes\n1,ann@a.example,Ann,{}\n")).text
    assert "those of listmonk, but `status`, which says who left, is missing" in shown


@pytest.mark.parametrize("headers", ["uuid,email,name,attributes,status", "email_address,optin_time"])
def test_advice_names_the_tick_and_no_parameter(manager, root, headers):
    cells = ["1", "ann@a.example", "Ann", "{}", "enabled"] if "uuid" in headers else ["ann@a.example", ""]
    shown = manager.get(keep(manager, root, f"{headers}\n{','.join(cells)}\n")).text
    assert "with the tick “Everyone in this file has left”." in shown
    assert "consent=" not in shown


def test_a_doubt_about_the_program_names_the_choice(manager, root):
    path = keep(manager, root, "uuid,email,name,attributes,status\n1,ann@a.example,Ann,{},enabled\n")
    manager.post(path, look="1", headed="1", **{"from": "mailchimp"})
    shown = manager.get(path).text
    assert "is “The program that wrote it” right?" in shown
    assert "`from`" not in shown


def test_why_a_column_is_doubtful_names_the_choices(manager, root):
    text = "email,Unsubscribe reason,status\nann@a.example,spring,gold\nbob@a.example,none,silver\n"
    shown = manager.get(keep(manager, root, text)).text
    assert "choose “left, yes or no” for it, or “subscribed, yes or no” if its no means left" in shown
    assert "choose “consent” for it, or “left, yes or no” if its yes means left" in shown
    assert "map it to" not in shown


def test_what_was_chosen_for_a_column_that_is_not_there(manager, root):
    path = keep(manager, root, "email,x\nann@a.example,1\n")
    for chosen in ({"column-9": "email"}, {"column-2": "field:"}):
        manager.post(path, look="1", headed="1", **chosen)
        shown = manager.get(path).text
        assert "Not understood yet" in shown
        assert "map" not in shown.partition("Not understood yet")[2].partition("</p>")[0]


def test_json_by_the_name_of_csv_is_told_in_words_of_the_page(manager, root):
    shown = manager.get(keep(manager, root, '[{"email": "ann@a.example"}]')).text
    assert "The file is JSON, not CSV: give it a name that ends in .json, and send it again." in shown
    assert "Content-Type" not in shown
