"""What a file leaves open besides consent, answered on its page."""

from audience.access import sites
from audience.subscribers import subscribers
from tests.console.test_file_uploads import keep, person, root, start

__all__ = ["root"]


def test_the_encoding_is_chosen_by_its_reading(site, manager, root):
    path = keep(manager, root, "email;jméno\nann@a.example;Žofie Dvořáková\n".encode("cp1250"))
    shown = manager.get(path).text
    assert "The file is not UTF-8; one of its likeliest readings may be right" in shown
    assert 'name="ask-encoding" value="cp1250"' in shown
    assert "Žofie Dvořáková" in shown
    assert "Žofie Dvoøáková" in shown
    start(manager, path, site, **{"ask-encoding": "cp1250"})
    assert person(site, "ann@a.example").fields == {"jméno": "Žofie Dvořáková"}


def test_cells_that_are_no_dates_and_a_title_are_asked_about_together(site, manager, root):
    path = keep(manager, root, "Members,\nemail,created_at\nann@a.example,soon\n")
    shown = manager.get(path).text
    assert 'name="ask-header_row" value="2"' in shown
    assert 'name="ask-unread_dates" value="ignore"' in shown
    assert subscribers.find(site, email="ann@a.example") is None
    start(manager, path, site, **{"ask-header_row": "2", "ask-unread_dates": "field"})
    assert person(site, "ann@a.example").fields == {"created_at": "soon"}


def test_the_page_names_the_zone_of_dates_without_one(site, manager, root):
    sites.set_time_zone(site, "America/New_York")
    path = keep(manager, root, "email,created_at\nann@a.example,2024-11-20 23:30\n")
    assert "dates without a time zone are of America/New_York" in manager.get(path).text
    start(manager, path, site)
    assert person(site, "ann@a.example").created_at == 1732163400000


def test_the_row_of_the_header_can_be_said_where_it_is_not_asked_about(site, manager, root):
    path = keep(manager, root, "A list, of the choir, 2024\nName,Wohin,Since\nAnn,ann@a.example,2020\n")
    shown = manager.get(path).text
    assert 'name="header_row" type="number"' in shown
    assert 'name="ask-header_row"' not in shown
    start(manager, path, site, **{"header_row": "2", "column-2": "email"})
    assert person(site, "ann@a.example").fields == {"Since": 2020}
