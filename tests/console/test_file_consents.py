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
    assert "If it says who left, map it to" in marked[0]


def test_a_file_without_the_column_that_says_who_left_is_pointed_out(manager, root):
    shown = manager.get(keep(manager, root, "uuid,email,name,attributes\n1,ann@a.example,Ann,{}\n")).text
    assert "those of listmonk, but `status`, which says who left, is missing" in shown
