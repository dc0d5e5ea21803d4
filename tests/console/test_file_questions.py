"""What a file leaves open besides consent, answered on its page."""

from audience.access import sites
from audience.subscribers import subscribers
from tests.console.test_file_uploads import keep, person, root, start

__all__ = ["root"]


def test_the_encoding_is_chosen_by_its_reading(site, manager, root):
    path = keep(manager, root, "email;jméno\nann@a.example;Žofie Dvořáková\n".encode("cp1250"))
    shown = manager.get(path).text
    assert "The file is not UTF-8; choose the encoding with which the names look right" in shown
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
    assert "dates without a time zone are in America/New_York" in manager.get(path).text
    start(manager, path, site)
    assert person(site, "ann@a.example").created_at == 1732163400000


def test_the_row_of_the_header_can_be_said_where_it_is_not_asked_about(site, manager, root):
    path = keep(manager, root, "A list, of the choir, 2024\nName,Wohin,Since\nAnn,ann@a.example,2020\n")
    shown = manager.get(path).text
    assert 'name="header_row" type="number"' in shown
    assert 'name="ask-header_row"' not in shown
    start(manager, path, site, **{"header_row": "2", "column-2": "email"})
    assert person(site, "ann@a.example").fields == {"Since": 2020}


BY_STATE = {
    "consent": "column", "consent_column": "2", "told_column": "2", "value-1": "in", "state-1": "subscribed",
}  # fmt: skip


def test_other_columns_that_say_no_are_ticked_as_ignored(site, manager, root):
    text = "email,state,confirmed,opt_in\nann@a.example,in,0,no\n"
    path = keep(manager, root, text, **BY_STATE)
    shown = manager.get(path).text
    assert "Your answer subscribes some people who, according to another column," in shown
    assert 'type="checkbox" name="ignored-new-1" value="confirmed"' in shown
    assert 'type="checkbox" name="ignored-new-2" value="opt_in"' in shown
    assert '<button class="go" disabled>Import</button>' in shown
    start(manager, path, site, **BY_STATE, **{"ignored-new-1": "confirmed", "ignored-new-2": "opt_in"})
    assert person(site, "ann@a.example").unsubscribed_at is None


def test_what_contradicts_is_shown_with_all_else_that_is_open(site, manager, root):
    text = "email,Status,created_at\nann@a.example,Unsubscribed,01/02/2023\n"
    shown = manager.get(keep(manager, root, text, consent="subscribed")).text
    assert "A row says otherwise." in shown
    assert "<bdi>Status</bdi> says that somebody has unsubscribed" in shown
    assert 'name="ask-dates" value="dmy"' in shown
    assert '<button class="go" disabled>Import</button>' in shown


def test_a_row_that_contradicts_a_column_is_named(site, manager, root):
    text = "email,state,Opted out\nann@a.example,in,1\n"
    told = {"consent_column": "2", "told_column": "2", "value-1": "in", "state-1": "subscribed"}
    shown = manager.get(keep(manager, root, text, consent="column", **told)).text
    assert "Row 2 of <bdi>Opted out</bdi> says that somebody has unsubscribed" in shown


def test_a_command_with_other_words_is_answered_as_the_column_that_says_who(site, manager, root):
    text = "email,command\nann@a.example,unsubscribe\nbob@a.example,remove\ncy@a.example,\n"
    path = keep(manager, root, text, consent="unsubscribed")
    shown = manager.get(path).text
    assert "answer that a column says who" in shown
    assert 'value="consent_column' not in shown
    assert '<button class="go" disabled>Import</button>' in shown
    told = {"value-1": "remove", "state-1": "unsubscribed", "value-2": "", "state-2": "subscribed"}
    start(manager, path, site, consent="column", consent_column="2", told_column="2", **told)
    found = [person(site, f"{name}@a.example").unsubscribed_at is None for name in ("ann", "bob", "cy")]
    assert found == [False, False, True]
